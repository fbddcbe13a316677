// What a party has seen of its room, as text for a person and as JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/room/party_report.h"

namespace qvid::app {

nlohmann::json json_of(const PartyReport& report);
// `publishes`: it was to publish, too.
std::string text_of(const PartyReport& report, bool publishes);

}  // namespace qvid::app
