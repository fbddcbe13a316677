// How loud a party is played here. Keys change it by a factor a press, within limits, and back to
// exactly 1 on the way; what is silenced keeps its volume for later.
#pragma once

#include <algorithm>
#include <cmath>

namespace qvid::app {

inline constexpr float kVolumeStep = 1.25F;  // a press up; down its inverse

struct Volume {
  static constexpr float kLeast = 0.05F;
  static constexpr float kMost = 4;

  float level = 1;  // kLeast..kMost; 1: as it was sent
  bool silenced = false;

  void change(float factor) {
    constexpr float kNearlyOne = 0.05F;
    const float next = std::clamp(level * factor, kLeast, kMost);
    level = std::abs(next - 1) < kNearlyOne ? 1 : next;
  }
  float played() const { return silenced ? 0 : level; }
};

}  // namespace qvid::app
