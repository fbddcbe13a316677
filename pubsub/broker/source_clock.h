// When items fall due on this clock, from arrivals alone: the publisher's clock is ahead by the
// least of  arrival - due  in the last two to four seconds. That is the way's delay with empty
// queues, so that an item held up on its way has less time left, as it should.
//
// Two buckets of kBucket each hold the least. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <optional>

#include "base/units.h"

namespace qps {

class SourceClock {
 public:
  static constexpr qvid::Duration kBucket = std::chrono::seconds(2);

  // The first fragment of an item came; gives when the item falls due here.
  qvid::Timestamp on_arrival(qvid::Timestamp due, qvid::Timestamp now) {
    const qvid::Duration ahead = now - due;
    if (!began_ || now - *began_ >= kBucket) {
      // After a silence the clocks may have gone apart.
      const bool recent = began_ && now - *began_ < 2 * kBucket;
      before_ = recent ? std::optional(least_) : std::nullopt;
      began_ = now;
      least_ = ahead;
    }
    least_ = std::min(least_, ahead);
    return due + (before_ ? std::min(*before_, least_) : least_);
  }

 private:
  std::optional<qvid::Timestamp> began_;
  qvid::Duration least_{};
  std::optional<qvid::Duration> before_;
};

}  // namespace qps
