// How much time libaom may take: a step slower than the size of the picture asks for is 0.3 to 0.7 dB better at the
// same rate, and takes up to three times as long; a step faster costs a picture that is fine already 0.04 (webcam)
// to 0.26 dB (motion at 38 dB), and takes a fifth to a third less.
//
//   usual  --a frame takes less than kMost / kSlower of the frame time, and is coarse--> better
//   better --it takes more than kMost--> usual, for kRest, and twice as long after each time in a row, at
//            most kLongestRest
//   better --it is fine--> usual --it is fine--> light --it is coarse--> usual
//
// So a calm picture on a narrow link, where the codec is what is seen, gets it; what moves or has a high
// rate, or is made by a slow machine, does not. A webcam of 640x480 is coarse under 330 kbit/s, where it has 46 dB, and
// fine from 600 on. Means over about a second, and nothing changes sooner.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/units.h"

namespace qvid::media {

enum class Av1Effort { kLight, kUsual, kBetter };

class Av1Speed {
 public:
  static constexpr double kMost = 0.3;  // of the frame time
  static constexpr double kSlower = 3;
  // As LayerPicture::quantiser. A step makes less of a difference than what lies between them.
  static constexpr double kCoarse = 28;
  static constexpr double kFine = 24;
  static constexpr Duration kMean = std::chrono::seconds(1);
  static constexpr Duration kRest = std::chrono::seconds(30);
  static constexpr Duration kLongestRest = std::chrono::minutes(8);

  explicit Av1Speed(FrameRate rate)
      : rate_(rate), mean_frames_(to_seconds(kMean) * rate.per_second()), rest_(frames(kRest)) {}

  // Of the next frame.
  Av1Effort effort() const { return effort_; }
  // What the last one took, and how coarse it is.
  void on_coded(Duration took, double quantiser);

 private:
  double frames(Duration time) const { return to_seconds(time) * rate_.per_second(); }
  void change(Av1Effort effort) {
    effort_ = effort;
    since_ = 0;
  }

  FrameRate rate_;
  double mean_frames_;
  double rest_;           // frames that the next rest takes
  double rested_ = 0;     // frames that the last one took
  double rest_left_ = 0;  // frames
  Av1Effort effort_ = Av1Effort::kUsual;
  double load_ = 0;       // of the frame time, in the mean
  double quantiser_ = 0;  // in the mean
  double since_ = 0;      // frames since the change
};

inline void Av1Speed::on_coded(Duration took, double quantiser) {
  const double weight = since_ == 0 ? 1 : 1 / (mean_frames_ + 1);
  load_ += weight * (to_seconds(took) * rate_.per_second() - load_);
  quantiser_ += weight * (quantiser - quantiser_);
  rest_left_ = std::max(0.0, rest_left_ - 1);
  if (++since_ < 2 * mean_frames_) return;
  const bool better = effort_ == Av1Effort::kBetter;
  // Once it has gone well for as long as it rested, what was is forgotten.
  if (better && since_ > rested_) rest_ = frames(kRest);
  if (better && load_ > kMost) {
    rested_ = rest_left_ = rest_;
    rest_ = std::min(rest_ * 2, frames(kLongestRest));
    return change(Av1Effort::kUsual);
  }
  if (quantiser_ < kFine && effort_ != Av1Effort::kLight) {
    change(better ? Av1Effort::kUsual : Av1Effort::kLight);
  } else if (quantiser_ > kCoarse && effort_ == Av1Effort::kLight) {
    change(Av1Effort::kUsual);
  } else if (quantiser_ > kCoarse && !better && load_ < kMost / kSlower && rest_left_ == 0) {
    change(Av1Effort::kBetter);
  }
}

}  // namespace qvid::media
