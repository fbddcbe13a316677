// How much somebody may use: as much as comes in at a rate, and at once no more than a burst.
//
// What a thing costs may be known only when it is done, so more may be taken than there is: then
// there is none until the rate has made up for it. Pure. Thread: one at a time.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace qvid {

struct TokenRate {  // both positive
  double per_second = 0;
  double burst = 0;
};

class TokenBucket {
 public:
  // Whether any is left; there is all to begin with. `now` never goes back.
  bool any(const TokenRate& rate, Timestamp now) {
    used_ = std::max(0.0, used_ - rate.per_second * to_seconds(now - at_));
    at_ = now;
    return used_ < rate.burst;
  }
  // When there will be some, where nothing is taken until then.
  Timestamp any_at(const TokenRate& rate) const {
    if (used_ < rate.burst) return at_;
    return at_ + from_seconds((used_ - rate.burst) / rate.per_second) + std::chrono::nanoseconds(1);
  }
  void take(double tokens) { used_ += tokens; }

 private:
  double used_ = 0;
  Timestamp at_{};
};

}  // namespace qvid
