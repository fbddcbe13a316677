// Counts the epochs of a discipline that does something every so many seconds, without a timer: it
// asks at each packet. Nothing happens to a queue between two packets, so late counting is exact.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace qvid::lab {

class EpochClock {
 public:
  // Precondition: `length` is positive.
  explicit EpochClock(Duration length) : length_(length) {}

  // How many epochs have ended by `now` and not been told yet. The first question begins the first
  // epoch.
  std::int64_t ended(Timestamp now) {
    if (end_ == kNever) {
      end_ = now + length_;
      return 0;
    }
    if (now < end_) return 0;
    const std::int64_t count = (now - end_) / length_ + 1;
    end_ += count * length_;
    return count;
  }

 private:
  Duration length_;
  Timestamp end_ = kNever;  // of the epoch that runs
};

}  // namespace qvid::lab
