// How keys change a volume: by a factor a press, within limits, and back to exactly 1 on the way.
#pragma once

#include <algorithm>
#include <cmath>

namespace qvid::app {

inline constexpr float kVolumeStep = 1.25F;  // a press up; down its inverse
inline constexpr float kLeastVolume = 0.05F;
inline constexpr float kMostVolume = 4;

inline float changed_volume(float volume, float factor) {
  constexpr float kNearlyOne = 0.05F;
  const float next = std::clamp(volume * factor, kLeastVolume, kMostVolume);
  return std::abs(next - 1) < kNearlyOne ? 1 : next;
}

}  // namespace qvid::app
