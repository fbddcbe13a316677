// `--link-picture`: what messengers show beside a link to the page for browsers (app/web/link_preview.h).
#pragma once

#include <optional>
#include <string>

#include "app/options/cli.h"

namespace qvid::app {

// What is taken as `url` is without trouble.
void add_link_picture_option(CLI::App& command, std::optional<std::string>& url);

}  // namespace qvid::app
