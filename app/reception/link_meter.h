// How well the pictures or the sound of somebody come, of what was counted in the last kSpan:
//
//   1   nothing came in that time of a picture that is to be seen, or more than 5 % was lost
//   2   more than 1 % was lost, or more than a fifth of the pictures lacked a layer
//   3   else
//
// Lost is what was due and could not be shown or played in time, whatever the reason. Nothing is told
// of the first kLeast, nor of a voice of which nothing came: who is silent sends nothing.
//
// Bound: one count each kStep of kSpan; the oldest go. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"

namespace qvid::app {

class LinkMeter {
 public:
  static constexpr Duration kSpan = std::chrono::seconds(4);
  static constexpr Duration kLeast = std::chrono::seconds(2);
  static constexpr Duration kStep = std::chrono::milliseconds(500);

  // All since it began.
  struct Count {
    Timestamp at{};
    std::int64_t come = 0;
    std::int64_t lost = 0;
    std::int64_t full = 0;  // with all layers
    // What was counted has begun anew.
    bool before(const Count& other) const { return come > other.come || lost > other.lost; }
  };
  void add(const Count& count);

  struct Reading {
    int bars = 0;  // 1, 2 or 3
    bool comes = false;
    bool whole = false;  // with all layers
    double loss = 0;     // of one
  };
  std::optional<Reading> picture() const;
  std::optional<Reading> sound() const;

 private:
  std::deque<Count> counts_;
};

// Of the way to the broker: 2 from 300 ms of round trip on, 1 from 800 ms on (150 and 400 ms one way:
// ITU-T G.114). 0: it is not known.
int bars_of_round_trip(Duration round_trip);

}  // namespace qvid::app
