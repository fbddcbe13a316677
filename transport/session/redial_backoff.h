// When a client may dial again: at once at first, and after each failure later than after the one
// before, until a channel is open.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace paceline {

class RedialBackoff {
 public:
  static constexpr qvid::Duration kFirst = std::chrono::milliseconds(100);  // doubling up to
  static constexpr qvid::Duration kSlowest = std::chrono::seconds(2);

  // A dial, or the socket that came of it, has failed.
  void on_failure(qvid::Timestamp now) {
    const qvid::Duration wait = std::min(kFirst * (1 << std::min(failures_, 8)), kSlowest);
    ++failures_;
    next_ = std::max(next_, now + wait);
  }
  // A channel is open: the next failure counts as the first. What has been put off stays so.
  void on_success() { failures_ = 0; }
  // The next dial is due then, whatever was said before.
  void set_next(qvid::Timestamp at) { next_ = at; }

  qvid::Timestamp next() const { return next_; }

 private:
  int failures_ = 0;  // in a row
  qvid::Timestamp next_{};
};

}  // namespace paceline
