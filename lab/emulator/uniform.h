// A number from [0, 1), the same for the same seed with every standard library (which
// std::uniform_real_distribution is not).
#pragma once

#include <cmath>
#include <random>

namespace qvid::lab {

inline double uniform(std::mt19937_64& random) {
  return std::ldexp(static_cast<double>(random() >> 11), -53);
}

}  // namespace qvid::lab
