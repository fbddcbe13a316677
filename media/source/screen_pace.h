// When the pictures of a screen go on, which has new ones only where something on it changes: as those
// of a device with a steady rate.
//
//   new one    due = max(due + 1 / rate, given + 1 / (2 rate))     at once from then on
//   none       the last one again, 1.5 / rate after a new one and 1 / rate after one that was repeated
//
// so new ones are at most of the rate in the mean, and one that is a little late is not preceded by a
// repeated one. Pure: `now` is handed in. Thread: one.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace qvid::media {

class ScreenPace {
 public:
  explicit ScreenPace(FrameRate rate) : frame_time_(rate.frame_time()) {}

  // From when on a new picture goes.
  Timestamp new_due() const { return new_due_; }
  // When the last one goes again; kNever: there was none.
  Timestamp repeat_due() const { return repeat_due_; }

  void on_new(Timestamp now) {
    new_due_ = std::max(new_due_ + frame_time_, now + frame_time_ / 2);
    repeat_due_ = now + frame_time_ + frame_time_ / 2;
  }
  void on_repeat(Timestamp now) {
    new_due_ = std::max(new_due_, now + frame_time_ / 2);
    // No burst after a pause of the reader.
    repeat_due_ = std::max(repeat_due_ + frame_time_, now + frame_time_ / 2);
  }

 private:
  Duration frame_time_;
  Timestamp new_due_{};
  Timestamp repeat_due_ = kNever;
};

}  // namespace qvid::media
