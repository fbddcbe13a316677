// When the flows of a run begin. One value for the bed and the simulator: with less of it here than
// there the simulator did not show that crowds on the kernel took each other for competitors.
#pragma once

#include <random>

#include "base/units.h"

namespace qvid::lab {

// The most; hosts are no exact clockworks.
inline constexpr Duration kStagger = std::chrono::milliseconds(500);

// What one flow begins later than told.
template <typename Random>
Duration staggered(Duration most, Random& random) {
  return from_seconds(std::uniform_real_distribution(0.0, to_seconds(most))(random));
}

}  // namespace qvid::lab
