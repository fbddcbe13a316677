// The least of what was seen lately, in slots of time: its memory does not grow with the number of
// values. A slot begins with the first value after the one before has ended, so that silence makes
// no slots and is no evidence; the oldest is given up whole.
//
//   least() is of the latest `slots` slots in which something came
//
// Bound: `slots`. Any times are harmless; a clock that goes back makes no new slots. Pure: time is
// handed in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "base/units.h"

namespace qvid {

template <class Value>
class SlidingMinimum {
 public:
  // Preconditions: slot positive, slots at least 1.
  SlidingMinimum(Duration slot, std::size_t slots) : slot_(slot), most_(slots) {}

  void add(Value value, Timestamp now) {
    if (slots_.empty() || now >= slots_.back().began + slot_) {
      slots_.push_back({.began = now, .least = value});
      if (slots_.size() > most_) slots_.pop_front();
      least_ = std::ranges::min_element(slots_, {}, &Slot::least)->least;
    } else {
      slots_.back().least = std::min(slots_.back().least, value);
      least_ = std::min(least_, value);
    }
  }
  void clear() { slots_.clear(); }

  bool empty() const { return slots_.empty(); }
  // Precondition of these: not empty.
  Value least() const { return least_; }
  Timestamp latest_began() const { return slots_.back().began; }

 private:
  struct Slot {
    Timestamp began;
    Value least;
  };
  Duration slot_;
  std::size_t most_;
  std::deque<Slot> slots_;
  Value least_{};  // of them
};

}  // namespace qvid
