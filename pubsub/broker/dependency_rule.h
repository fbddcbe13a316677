// What one viewer can still use of a publisher's items, as the broker knows it.
//
// Model: a part under way will arrive or be reported lost. A part is usable while all it depends on
// is; one that is lost takes with it all that needs it, directly or not. So nothing is forwarded
// that nobody could use, and what was broken goes on at the next part that depends on nothing lost.
// The same rule as that of live video (media/live/dependency_tracker.h), over envelopes in place of
// coded units, and in two bits a part: what depends on what is the source's (item_log.h).
//
// Bound: the items of the log; what lies further back counts as lost. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "pubsub/broker/item_log.h"

namespace qps {

class DependencyRule {
 public:
  // `log` outlives this.
  explicit DependencyRule(const ItemLog& log) : log_(&log) {}

  // A part of the log that could be forwarded now. True: it is usable, and counts as under way.
  // False: it is lost.
  bool admit(const PartId& id);
  // It will not arrive. Gives the others that are of no use for it; nothing where that was known.
  std::vector<PartId> on_lost(const PartId& id);
  bool usable(const PartId& id) const;
  void clear() { items_.clear(); }

 private:
  struct Item {
    std::int64_t number = -1;
    std::uint16_t usable = 0;  // a bit for each part
  };
  const ItemLog* log_;
  std::vector<Item> items_;  // by number modulo ItemLog::kItems
};

}  // namespace qps
