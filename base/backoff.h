// How long to wait before the next attempt: any time up to a bound that doubles (full jitter), so
// that the many who have lost the same broker do not come back at the same moment.
#pragma once

#include <algorithm>

#include "base/jitter.h"
#include "base/units.h"

namespace qvid {

class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(250);
  static constexpr Duration kLast = std::chrono::seconds(4);

  explicit Backoff(Jitter jitter = Jitter::random()) : jitter_(jitter) {}

  Duration next() {
    const Duration most = most_;
    most_ = std::min(most_ * 2, kLast);
    return jitter_.up_to(most);
  }
  // Any time up to `most`: before an attempt that follows no failure, but that many make at once.
  Duration spread_over(Duration most) { return jitter_.up_to(most); }
  // It worked: start small again.
  void reset() { most_ = kFirst; }

 private:
  Jitter jitter_;
  Duration most_ = kFirst;
};

}  // namespace qvid
