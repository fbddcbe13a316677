// A frame rate in a control message: "rate":[30000,1001].
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.h"
#include "pubsub/wire/json_fields.h"

namespace qvid::app {

// Nothing where it is missing, malformed, or not of 0.1 to 240 frames a second.
inline std::optional<FrameRate> rate_field(const nlohmann::json& object) {
  constexpr int kMaxFramesPerSecond = 240;
  const auto it = object.find("rate");
  if (it == object.end() || !it->is_array() || it->size() != 2) return std::nullopt;
  const auto numerator = qps::integer((*it)[0], 1, FrameRate::kMaxNumerator);
  const auto denominator = qps::integer((*it)[1], 1, FrameRate::kMaxDenominator);
  if (!numerator || !denominator) return std::nullopt;
  const FrameRate rate{static_cast<std::int32_t>(*numerator),
                       static_cast<std::int32_t>(*denominator)};
  if (rate.per_second() > kMaxFramesPerSecond || rate.per_second() < 0.1) return std::nullopt;
  return rate;
}

}  // namespace qvid::app
