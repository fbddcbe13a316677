// Kinds of fields that several messages of player and server have.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/protocol/play_limits.h"
#include "base/units.h"
#include "media/stored/play_speed.h"
#include "media/unit/timeline_frames.h"
#include "pubsub/wire/message_table.h"

namespace qvid::app {

// Places and durations of stored video.
inline constexpr qps::Milliseconds kPlace{kMaxPlace};
inline constexpr qps::Number<int> kWindow{media::kMinWindow, media::kMaxWindow};
inline constexpr qps::Number<std::uint32_t> kStream{};

// How fast stored video is played, in percent.
struct Speed {
  static constexpr int kPercent = 100;

  std::optional<double> read(const nlohmann::json& value) const {
    const auto percent = qps::Number<int>{static_cast<int>(media::kPlaySpeeds.front() * kPercent),
                                          static_cast<int>(media::kPlaySpeeds.back() * kPercent)}
                             .read(value);
    if (!percent) return std::nullopt;
    return static_cast<double>(*percent) / kPercent;
  }
  nlohmann::json write(double speed) const { return std::lround(speed * kPercent); }
};

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
