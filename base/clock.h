// The one place that reads the steady clock. Shells and threads call it once per turn; engines get
// the value.
#pragma once

#include "base/units.h"

namespace qvid {

inline Timestamp steady_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

}  // namespace qvid
