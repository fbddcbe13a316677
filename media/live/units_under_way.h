// The units of live video that are under way to one receiver, and what they are known by where they
// were handed on.
//
// Units are sent in order: one table, in that order. Who takes them numbers them as he likes, each
// number once while it is in use; an index leads from there. Bound: as what takes them; each ends.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "media/unit/coded_frame.h"

namespace qvid::media {

class UnitsUnderWay {
 public:
  static constexpr std::uint64_t kNotHandedOn = std::numeric_limits<std::uint64_t>::max();

  struct Entry {
    UnitKey unit;
    std::uint64_t message = kNotHandedOn;
    std::uint64_t ticket = 0;  // of who measures
    bool over = false;         // of no use any more; its message has not ended yet
  };

 private:
  static auto find(auto& entries, const UnitKey& unit) {
    const auto it = std::ranges::lower_bound(entries, unit, {}, &Entry::unit);
    return it != entries.end() && it->unit == unit ? it : entries.end();
  }

 public:
  // Units come in order.
  void add(const UnitKey& unit) { entries_.push_back({.unit = unit}); }
  void hand_on(const UnitKey& unit, std::uint64_t message, std::uint64_t ticket) {
    const auto it = find(entries_, unit);
    if (it == entries_.end()) return;
    it->message = message;
    it->ticket = ticket;
    unit_of_[message] = unit;
  }
  bool contains(const UnitKey& unit) const {
    const auto it = find(entries_, unit);
    return it != entries_.end() && !it->over;
  }
  std::optional<std::uint64_t> message_of(const UnitKey& unit) const {
    const auto it = find(entries_, unit);
    if (it == entries_.end() || it->message == kNotHandedOn) return std::nullopt;
    return it->message;
  }
  // The unit has ended, or is of no use any more: the table keeps it until its message ends.
  void end(const UnitKey& unit) {
    const auto it = find(entries_, unit);
    if (it == entries_.end()) return;
    if (it->message == kNotHandedOn) {
      entries_.erase(it);
    } else {
      it->over = true;
    }
  }
  // The message has ended. Empty: it is of no unit here.
  std::optional<Entry> take(std::uint64_t message) {
    const auto known = unit_of_.find(message);
    if (known == unit_of_.end()) return std::nullopt;
    const auto it = find(entries_, known->second);
    unit_of_.erase(known);
    const Entry entry = *it;
    entries_.erase(it);
    return entry;
  }
  // In order; without those that are over.
  std::vector<UnitKey> all() const {
    std::vector<UnitKey> units;
    for (const Entry& entry : entries_) {
      if (!entry.over) units.push_back(entry.unit);
    }
    return units;
  }

 private:
  std::vector<Entry> entries_;                          // by unit
  std::unordered_map<std::uint64_t, UnitKey> unit_of_;  // of those that were handed on
};

}  // namespace qvid::media
