// When a client may dial again: at once at first, and after each failure at any time up to a bound
// that doubles (full jitter), until a channel is open. So the many who have lost the same server
// come back spread over time.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>

#include "base/jitter.h"
#include "base/units.h"

namespace paceline {

class RedialBackoff {
 public:
  // After the first failure at most kFirst, doubling up to kSlowest.
  static constexpr qvid::Duration kFirst = std::chrono::milliseconds(100);
  static constexpr qvid::Duration kSlowest = std::chrono::seconds(2);

  explicit RedialBackoff(qvid::Jitter jitter) : jitter_(jitter) {}

  // A dial, or the socket that came of it, has failed.
  void on_failure(qvid::Timestamp now) {
    const qvid::Duration most = std::min(kFirst * (1 << std::min(failures_, 8)), kSlowest);
    ++failures_;
    next_ = std::max(next_, now + jitter_.up_to(most));
  }
  // A channel is open: the next failure counts as the first. What has been put off stays so.
  void on_success() { failures_ = 0; }
  // The next dial is due then, whatever was said before.
  void set_next(qvid::Timestamp at) { next_ = at; }
  // The same, half of `about` to one and a half of it from now.
  void set_next_about(qvid::Timestamp now, qvid::Duration about) {
    next_ = now + about / 2 + jitter_.up_to(about);
  }

  qvid::Timestamp next() const { return next_; }

 private:
  qvid::Jitter jitter_;
  int failures_ = 0;  // in a row
  qvid::Timestamp next_{};
};

}  // namespace paceline
