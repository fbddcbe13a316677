// How the connection does, for the page: what a LinkMeter reads (null: nothing is known), and of a session.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "app/reception/link_meter.h"
#include "transport/session/signals.h"

namespace qvid::web {

inline nlohmann::json link_json(const std::optional<app::LinkMeter::Reading>& reading) {
  if (!reading) return nullptr;
  return {{"bars", reading->bars},
          {"comes", reading->comes},
          {"whole", reading->whole},
          {"loss", reading->loss}};
}

inline nlohmann::json session_json(const paceline::SessionSignals& signals) {
  return {{"rtt_ms", to_seconds(signals.rtt) * 1000},
          {"received", signals.received.value()},
          {"failovers", signals.failovers},
          {"resumptions", signals.resumptions},
          {"interrupted", signals.interrupted}};
}

}  // namespace qvid::web
