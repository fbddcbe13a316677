// The one place that reads the steady clock, and what the wall's is ahead of it. Shells and threads
// call it once per turn; engines get the value.
#pragma once

#include "base/units.h"

namespace qvid {

inline Timestamp steady_now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

// What UTC is ahead of the steady clock, by this host's clock: for what hosts do at the same moment.
inline Duration wall_clock_ahead() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Duration>(wall) - steady_now().time_since_epoch();
}

}  // namespace qvid
