// When items fall due on this clock, from arrivals alone: the publisher's clock is ahead by the
// least of  arrival - due  in the last two to four seconds. That is the way's delay with empty
// queues, so that an item held up on its way has less time left, as it should.
//
// Pure. Thread: one at a time.
#pragma once

#include "base/sliding_minimum.h"
#include "base/units.h"

namespace qps {

class SourceClock {
 public:
  static constexpr qvid::Duration kSlot = std::chrono::seconds(2);

  bool empty() const { return ahead_.empty(); }  // nothing has come yet
  // The first fragment of an item came; gives when the item falls due here.
  qvid::Timestamp on_arrival(qvid::Timestamp due, qvid::Timestamp now) {
    // After a silence the clocks may have gone apart.
    if (!ahead_.empty() && now - ahead_.latest_began() >= 2 * kSlot) ahead_.clear();
    ahead_.add(now - due, now);
    return due + ahead_.least();
  }

 private:
  qvid::SlidingMinimum<qvid::Duration> ahead_{kSlot, 2};
};

}  // namespace qps
