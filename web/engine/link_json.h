// What a LinkMeter reads, for the page: null: nothing is known.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "app/reception/link_meter.h"

namespace qvid::web {

inline nlohmann::json link_json(const std::optional<app::LinkMeter::Reading>& reading) {
  if (!reading) return nullptr;
  return {{"bars", reading->bars},
          {"comes", reading->comes},
          {"whole", reading->whole},
          {"loss", reading->loss}};
}

}  // namespace qvid::web
