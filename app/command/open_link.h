// Opens a link of a chat as the desktop does (xdg-open). Thread: one at a time.
#pragma once

#include <optional>
#include <string>

#include "app/command/desktop_programs.h"
#include "base/result.h"

namespace qvid::app {

inline constexpr std::size_t kMostOpeners = 8;  // that have not ended

// Only what ui/text/links.h calls a link. The error says why it is not opened.
std::optional<Error> open_link(const std::string& link, DesktopPrograms& programs);

}  // namespace qvid::app
