// A sum over the last two seconds, in slots: its memory does not grow with the number of additions.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"

namespace qvid::media {

class RecentSum {
 public:
  static constexpr Duration kSpan = std::chrono::seconds(2);

  void add(std::int64_t value, Timestamp now) {
    const std::int64_t at = slot_of(now);
    Slot& slot = slots_[index(at)];
    if (slot.number != at) slot = {.number = at, .sum = 0};
    slot.sum += value;
  }
  double per_second(Timestamp now) const {
    const std::int64_t newest = slot_of(now);
    std::int64_t sum = 0;
    // The slot that is still filling is left out: it would count as full.
    for (const Slot& s : slots_) {
      if (s.number < newest && s.number >= newest - kSlots) sum += s.sum;
    }
    return static_cast<double>(sum) / to_seconds(kSpan);
  }

 private:
  static constexpr std::int64_t kSlots = 20;

  struct Slot {
    std::int64_t number = -1;
    std::int64_t sum = 0;
  };
  static std::int64_t slot_of(Timestamp t) { return t.time_since_epoch() / (kSpan / kSlots); }
  static std::size_t index(std::int64_t slot) {
    return static_cast<std::size_t>(slot % (kSlots + 1));
  }
  std::array<Slot, kSlots + 1> slots_;
};

}  // namespace qvid::media
