// Which messages are the most important third of what is sent, by bytes, of late, and the most important sixth: what
// is worth sending twice, and three times. Of whatever makes them nothing is known but how important it says they are.
//
// Of a layered video these are its base, and the pictures that all later ones need: behind a second of queue 25 % are
// lost while it overflows, and a picture of two datagrams with its copy in one case of eight.
//
// Pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>

#include "transport/wire/message.h"

namespace paceline {

class ImportantPart {
 public:
  // Counts a message, and tells how often it is to go once more: all that are as important, or more, are no more
  // than such a part.
  int copies(Importance importance, std::size_t bytes) {
    bytes_[importance.value()] += static_cast<double>(bytes);
    all_ += static_cast<double>(bytes);
    const double no_less = std::accumulate(bytes_.begin() + importance.value(), bytes_.end(), 0.0);
    const int copies = no_less <= kTwice * all_ ? 2 : no_less <= kOnce * all_ ? 1 : 0;
    if (all_ > kMemory) {
      for (double& b : bytes_) b /= 2;
      all_ /= 2;
    }
    return copies;
  }

 private:
  static constexpr double kOnce = 1.0 / 3;
  static constexpr double kTwice = 1.0 / 6;
  static constexpr double kMemory = 128 * 1024;  // bytes: a second of a video of 1 Mbit/s

  std::array<double, 256> bytes_{};  // by importance
  double all_ = 0;
};

}  // namespace paceline
