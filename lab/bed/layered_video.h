// The video of the application experiments: 30 frames a second of a base and seven enhancement
// layers, as the papers' (000 section 5.2, 002 "Application-level Performance").
//
// The papers do not say how large a layer is. Here the base is 1/16 of the rate and each layer is a
// quarter larger than the one below it. Frames differ in size: log-normal with a deviation of 20%,
// and every 30th is twice as large, as where a scene begins. No frame refers to another: what is
// measured is whether the base came in time, not what a decoder would make of it.
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "base/units.h"
#include "lab/bed/adu.h"
#include "lab/bed/run_result.h"

namespace qvid::lab {

inline constexpr Duration kFrameTime = Duration(33'333'333);

class LayeredVideo {
 public:
  LayeredVideo(DataRate rate, std::uint64_t seed);

  // The next frame, captured now; lowest layer first.
  std::array<Adu, kLayers> next(Timestamp captured);
  std::uint32_t frames() const { return frame_; }

 private:
  DataRate rate_;
  std::mt19937_64 random_;
  std::uint32_t frame_ = 0;
};

}  // namespace qvid::lab
