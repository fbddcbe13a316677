// The thesis's measure at a sender: in every slot of 100 ms the largest of the round trips that
// were acknowledged and of the age of the oldest byte that was not (000 section 3.2).
//
// Written and acknowledged are counted in bytes of the stream. Bounded: what is written within a
// millisecond shares an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "lab/bed/run_clock.h"

namespace qvid::lab {

class OldestUnacked {
 public:
  explicit OldestUnacked(const RunClock& clock) : clock_(clock), slots_(clock.slots(), -1) {}

  void on_written(std::int64_t bytes, Timestamp now) {
    written_ += bytes;
    if (!outstanding_.empty() && now - outstanding_.back().at < 1ms) {
      outstanding_.back().end = written_;
    } else {
      outstanding_.push_back({written_, now});
    }
  }
  // All before `total` has been acknowledged.
  void on_acked(std::int64_t total, Timestamp now) {
    while (!outstanding_.empty() && outstanding_.front().end <= total) {
      note(now - outstanding_.front().at, now);
      outstanding_.pop_front();
    }
  }
  void sample(Timestamp now) {
    if (!outstanding_.empty()) note(now - outstanding_.front().at, now);
  }
  void note(Duration age, Timestamp now) {
    if (now - clock_.begin >= clock_.duration) return;
    double& slot = slots_[clock_.slot(now)];
    slot = std::max(slot, to_ms(age));
  }
  // Into the slots of the result.
  void fill(std::vector<FlowSlot>& slots) const {
    slots.resize(slots_.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) slots[i].oldest_unacked_ms = slots_[i];
  }

 private:
  struct Written {
    std::int64_t end;
    Timestamp at;
  };
  RunClock clock_;
  std::vector<double> slots_;
  std::deque<Written> outstanding_;
  std::int64_t written_ = 0;
};

}  // namespace qvid::lab
