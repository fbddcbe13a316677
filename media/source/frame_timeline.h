// Turns the timestamps of a file into times of display that only ever go forward.
//
// Events that move the time base: a timestamp that is not later than the one before, or later by
// more than the longest gap. The frame then comes one nominal frame time after the one before, and
//     time = timestamp + shift
// holds with the new shift. A frame without a timestamp comes one frame time after the one before
// and leaves the shift alone. So a file that starts again goes on without a hitch.
//
// Pure: no clock. Thread: one.
#pragma once

#include <optional>

#include "base/units.h"

namespace qvid::media {

class FrameTimeline {
 public:
  // Longer than a slide stays in a recorded talk is rare; a person takes it for a hang.
  static constexpr Duration kLongestGap = 10s;

  explicit FrameTimeline(FrameRate nominal, Duration longest_gap = kLongestGap)
      : frame_time_(nominal.frame_time()), longest_gap_(longest_gap) {}

  // When the next frame is shown, counted from the first one.
  Duration place(std::optional<Duration> timestamp) {
    // Beyond a century a timestamp is broken, and sums with it would overflow.
    constexpr Duration kCentury = 24h * 36525;
    if (timestamp && (*timestamp > kCentury || *timestamp < -kCentury)) timestamp.reset();
    if (!last_) {
      last_ = Duration::zero();
      if (timestamp) shift_ = -*timestamp;
      return *last_;
    }
    Duration time = *last_ + frame_time_;
    if (timestamp) {
      const Duration stamped = shift_ ? *timestamp + *shift_ : time;
      if (stamped > *last_ && stamped <= *last_ + longest_gap_) time = stamped;
      shift_ = time - *timestamp;
    }
    last_ = time;
    return time;
  }

  // Of the last frame: time = timestamp + shift. Empty: no timestamp came.
  std::optional<Duration> shift() const { return shift_; }

  // The next frame begins the file again: its timestamp has nothing to do with the last one.
  void restart() { shift_.reset(); }

 private:
  Duration frame_time_;
  Duration longest_gap_;
  std::optional<Duration> shift_;
  std::optional<Duration> last_;
};

}  // namespace qvid::media
