// The items of a load test's publisher: as those of layered video, filled with nothing.
//
//   part 0            the base      kShares[0] of the rate, vital
//   parts 1, 2, 3     details       each needs the one below it, and is of no use later
//
// All items are of one size but for rounding, so the sums are the rate exactly. An item's base
// needs that of the one before, unless it is a beginning: on request, else every kGroup. `due` is
// when it was sent, so that a subscriber on the same clock knows the delay of every part (to 1 µs).
//
// Pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstdint>

#include "pubsub/wire/envelope.h"

namespace qvid::lab {

class LoadPattern {
 public:
  static constexpr std::size_t kLayers = 4;
  static constexpr std::array<double, kLayers> kShares{0.4, 0.25, 0.2, 0.15};
  static constexpr Duration kGroup = std::chrono::seconds(2);

  // Precondition: rate > 0.
  LoadPattern(DataRate rate, FrameRate items) : rate_(rate), items_(items) {}

  // The next item will be a beginning.
  void request_begin() { begin_ = true; }

  struct Part {
    qps::Envelope envelope;
    std::size_t size = 0;  // of its data
  };
  struct Item {
    std::int64_t number = 0;
    std::array<Part, kLayers> parts;
  };
  Item next(Timestamp now);

 private:
  std::int64_t bytes_until(std::int64_t item) const;

  DataRate rate_;
  FrameRate items_;
  std::int64_t number_ = 0;
  bool begin_ = true;
  Timestamp begun_{};  // when the group began
};

}  // namespace qvid::lab
