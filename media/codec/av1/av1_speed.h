// Whether libaom may take its time: one step slower than the size of the picture asks for is 0.3 to 0.7 dB
// better at the same rate, and takes up to three times as long.
//
//   usual  --a frame takes less than kMost / kSlower of the frame time, in the mean--> better
//   better --it takes more than kMost--> usual, for kRest, and twice as long after each time in a row, at
//            most kLongestRest
//
// So a calm picture on a narrow link, where the codec is what is seen, gets it; what moves or has a high
// rate, or is made by a slow machine, does not. The mean is over about a second, and nothing changes sooner.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/units.h"

namespace qvid::media {

class Av1Speed {
 public:
  static constexpr double kMost = 0.3;  // of the frame time
  static constexpr double kSlower = 3;
  static constexpr Duration kMean = std::chrono::seconds(1);
  static constexpr Duration kRest = std::chrono::seconds(30);
  static constexpr Duration kLongestRest = std::chrono::minutes(8);

  explicit Av1Speed(FrameRate rate)
      : rate_(rate), mean_frames_(to_seconds(kMean) * rate.per_second()), rest_(frames(kRest)) {}

  // Of the next frame.
  bool better() const { return better_; }
  // What the last one took.
  void on_coded(Duration took);

 private:
  double frames(Duration time) const { return to_seconds(time) * rate_.per_second(); }
  void change(bool better) {
    better_ = better;
    since_ = 0;
  }

  FrameRate rate_;
  double mean_frames_;
  double rest_;             // frames that the next rest takes
  double rests_until_ = 0;  // since the change
  bool better_ = false;
  double mean_ = 0;   // of the frame time
  double since_ = 0;  // frames since the change
};

inline void Av1Speed::on_coded(Duration took) {
  const double load = to_seconds(took) * rate_.per_second();
  mean_ = since_ == 0 ? load : mean_ + (load - mean_) / (mean_frames_ + 1);
  if (++since_ < 2 * mean_frames_) return;
  // Once it has gone well for as long as it rested, what was is forgotten.
  if (better_ && since_ > rests_until_) rest_ = frames(kRest);
  if (better_ && mean_ > kMost) {
    rests_until_ = rest_;
    rest_ = std::min(rest_ * 2, frames(kLongestRest));
    change(false);
  } else if (!better_ && mean_ < kMost / kSlower && since_ >= rests_until_) {
    change(true);
  }
}

}  // namespace qvid::media
