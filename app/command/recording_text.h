// What was recorded of a member, as text for a person and as JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "media/recording/recording.h"

namespace qvid::app {

nlohmann::json json_of(const std::string& name, const media::Recording::Stats& stats);
std::string text_of(const std::string& name, const media::Recording::Stats& stats);

}  // namespace qvid::app
