// Statistics as text for a person, as rows for the overlay, and as JSON for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/play/player.h"
#include "app/serve/server.h"
#include "ui/window/overlay.h"

namespace qvid::app {

std::string text_of(const PlayerReport& report, const Url& url);
nlohmann::json json_of(const PlayerReport& report, const Url& url);
std::vector<std::pair<std::string, std::string>> overlay_rows(const PlayerReport& report);

// Text of a peer or a device in it may be any bytes: what is no UTF-8 is replaced.
std::string dump(const nlohmann::json& value);

std::string text_of(const ServerStats& stats);
nlohmann::json json_of(const ServerStats& stats);

}  // namespace qvid::app
