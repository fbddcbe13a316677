// How fast stored video is played: places a second of the clock, in steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/units.h"

namespace qvid::media {

// Faster, most of what is spoken is no longer understood; slower, the stretched sound falls apart.
constexpr std::array kPlaySpeeds{0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0};

// The next step above or below; the last one stays.
constexpr double faster(double speed) {
  const auto next = std::ranges::upper_bound(kPlaySpeeds, speed);
  return next == kPlaySpeeds.end() ? kPlaySpeeds.back() : *next;
}
constexpr double slower(double speed) {
  const auto at = std::ranges::lower_bound(kPlaySpeeds, speed);
  return at == kPlaySpeeds.begin() ? kPlaySpeeds.front() : *(at - 1);
}

// The next step, behind the last of which comes the first.
constexpr double next_speed(double speed) {
  return speed < kPlaySpeeds.back() ? faster(speed) : kPlaySpeeds.front();
}

// What passes of the video in a time, and the other way round.
constexpr Duration played_in(Duration time, double speed) {
  return std::chrono::duration_cast<Duration>(time * speed);
}
constexpr Duration time_to_play(Duration of_video, double speed) {
  return std::chrono::duration_cast<Duration>(of_video / speed);
}

}  // namespace qvid::media
