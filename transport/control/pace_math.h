// What the parts of PACE share.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace paceline {

inline qvid::Duration scaled(qvid::Duration d, double by) {
  using Count = qvid::Duration::rep;
  return qvid::Duration(static_cast<Count>(static_cast<double>(d.count()) * by));
}

// Of those who begin together.
inline constexpr qvid::Duration kSettling = std::chrono::seconds(5);

// Round trips that differ by less are those of a longer route; a competitor makes them swing.
inline bool flat(qvid::Duration low, qvid::Duration high) {
  using qvid::operator""ms;
  constexpr double kPart = 0.03;
  return high - low <= std::max(qvid::Duration(2ms), scaled(low, kPart));
}

}  // namespace paceline
