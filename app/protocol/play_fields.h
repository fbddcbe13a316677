// Kinds of fields that several messages of player and server have.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "app/protocol/play_limits.h"
#include "base/units.h"
#include "media/unit/timeline_frames.h"
#include "pubsub/wire/message_table.h"

namespace qvid::app {

// Places and durations of stored video.
inline constexpr qps::Milliseconds kPlace{kMaxPlace};
inline constexpr qps::Number<int> kWindow{media::kMinWindow, media::kMaxWindow};
inline constexpr qps::Number<std::uint32_t> kStream{};

// What a receiver decodes.
inline constexpr qps::ListOf kCodecNames{qps::Text{kMaxCodecName}, 1, kMaxCodecs};

// [30000,1001]: of 0.1 to 240 frames a second.
struct Rate {
  std::optional<FrameRate> read(const nlohmann::json& value) const {
    constexpr int kMaxFramesPerSecond = 240;
    if (!value.is_array() || value.size() != 2) return std::nullopt;
    const auto numerator = qps::Number<std::int32_t>{1, FrameRate::kMaxNumerator}.read(value[0]);
    const auto denominator =
        qps::Number<std::int32_t>{1, FrameRate::kMaxDenominator}.read(value[1]);
    if (!numerator || !denominator) return std::nullopt;
    const FrameRate rate{*numerator, *denominator};
    if (rate.per_second() > kMaxFramesPerSecond || rate.per_second() < 0.1) return std::nullopt;
    return rate;
  }
  nlohmann::json write(const FrameRate& rate) const { return {rate.numerator, rate.denominator}; }
};

}  // namespace qvid::app
