// What the envelopes of a publisher's latest items said, kept once for all viewers: what depends on
// what in the log of the rule that each viewer follows (base/dependency_rule.h), the rest beside it.
//
// Bound: the last kItems items; what lies further back is not known. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "pubsub/wire/envelope.h"

namespace qps {

class ItemLog {
 public:
  static constexpr std::int64_t kItems = qvid::DependencyLog::kItems;

  struct Entry {
    Envelope envelope;     // without what it depends on
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
  const qvid::DependencyLog& dependencies() const { return dependencies_; }

 private:
  qvid::DependencyLog dependencies_;
  // By number modulo kItems, and part; of parts that dependencies_ knows.
  std::vector<std::vector<Entry>> entries_;
};

}  // namespace qps
