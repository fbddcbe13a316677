// What the envelopes of a publisher's latest items said, kept once for all viewers.
//
// Bound: the last kItems items; what lies further back is not known. Pure. Thread: one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pubsub/wire/envelope.h"

namespace qps {

class ItemLog {
 public:
  static constexpr std::int64_t kItems = 256;

  struct Entry {
    Envelope envelope;
    Timestamp due_here{};  // on this clock (source_clock.h)
    std::uint64_t came{};  // a bit for each fragment
    ByteCount bytes{};     // of these
  };
  // Of a part twice, or of an item that is too old: false, and nothing changes.
  bool note(const PartId& id, Entry entry);
  // A fragment of a part that was noted. Each counts once; one that the part cannot have, or that
  // makes it too large, is not sound.
  enum class Taken : std::uint8_t { kYes, kAgain, kUnsound };
  Taken take(const FragmentId& id, ByteCount size);
  const Entry* find(const PartId& id) const;
  std::int64_t newest() const { return newest_; }  // -1: none
  std::int64_t oldest() const { return newest_ - kItems + 1; }
  void clear();

 private:
  struct Item {
    std::int64_t number = -1;
    std::uint16_t known = 0;  // a bit for each part
    std::vector<Entry> parts;
  };
  std::vector<Item> items_;  // by number modulo kItems
  std::int64_t newest_ = -1;
};

}  // namespace qps
