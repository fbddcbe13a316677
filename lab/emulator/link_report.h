// What a link did, as text for a person and as JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/emulator/emulator.h"

namespace qvid::lab {

std::string text_of(const LinkReport& report);
nlohmann::json json_of(const LinkReport& report);

}  // namespace qvid::lab
