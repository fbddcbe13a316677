// How long to wait before the next attempt: twice as long each time, within bounds.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace qvid::app {

class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(250);
  static constexpr Duration kLast = std::chrono::seconds(4);

  Duration next() {
    const Duration wait = next_;
    next_ = std::min(next_ * 2, kLast);
    return wait;
  }
  // It worked: start small again.
  void reset() { next_ = kFirst; }

 private:
  Duration next_ = kFirst;
};

}  // namespace qvid::app
