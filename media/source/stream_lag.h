// How late the pictures of a live stream are by the timeline that began with its first one.
//
//   late = now - (start + time)        lag = the least late of the last kWindow, or less at once
//
// A clock that is slower than ours, or a path that has become longer, lets all of a stream come
// later and later; a stall lets a part of it. So the lag grows only where nothing in a window was
// sooner, and falls at once when the stream has caught up. captured = start + time + lag is then
// true to the stream's own distances, near to now, and never later than now.
//
// Pure: `now` is handed in. Thread: one.
#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"

namespace qvid::media {

class StreamLag {
 public:
  static constexpr Duration kWindow = std::chrono::seconds(2);
  static constexpr Duration kLeastStep = std::chrono::milliseconds(50);  // of growth

  // A picture is shown now, so late (zero: in time). Gives the lag.
  Duration on_picture(Timestamp now, Duration late) {
    late = std::max(late, Duration::zero());
    least_ = began_ ? std::min(least_, late) : late;
    if (!began_) began_ = now;
    lag_ = std::min(lag_, late);
    if (now - *began_ < kWindow) return lag_;
    if (least_ - lag_ >= kLeastStep) lag_ = least_;
    began_.reset();
    return lag_;
  }

 private:
  std::optional<Timestamp> began_;  // of the window
  Duration least_{};                // in it
  Duration lag_{};
};

}  // namespace qvid::media
