// Waits of random length, so that many who have lost the same at once do not come back at once.
#pragma once

#include <cstdint>
#include <random>

#include "base/units.h"

namespace qvid {

class Jitter {
 public:
  // The same seed gives the same waits.
  explicit Jitter(std::uint64_t seed) : state_(seed) {}
  // Another one each time.
  static Jitter random() { return Jitter(random_seed()); }
  static std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  }

  // Any time from nothing to `most`, all as likely.
  Duration up_to(Duration most) {
    constexpr double kRange = 0x1p53;
    const double part = static_cast<double>(next() >> 11) / kRange;
    return std::chrono::duration_cast<Duration>(most * part);
  }

 private:
  // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace qvid
