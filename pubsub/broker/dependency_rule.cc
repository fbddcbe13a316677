#include "pubsub/broker/dependency_rule.h"

#include <algorithm>

namespace qps {
namespace {

std::size_t slot_of(std::int64_t item) { return static_cast<std::size_t>(item % ItemLog::kItems); }

}  // namespace

bool DependencyRule::usable(const PartId& id) const {
  if (items_.empty() || id.item < 0 || id.item < log_->oldest()) return false;
  const Item& item = items_[slot_of(id.item)];
  return item.number == id.item && (item.usable >> id.part & 1) != 0;
}

bool DependencyRule::admit(const PartId& id) {
  const ItemLog::Entry* entry = log_->find(id);
  if (entry == nullptr) return false;
  if (items_.empty()) items_.resize(ItemLog::kItems);
  Item& item = items_[slot_of(id.item)];
  if (item.number != id.item) item = {.number = id.item};
  const auto& needs = entry->envelope.depends_on;
  const bool ok = std::all_of(needs.begin(), needs.end(), [&](const Dependency& d) {
    return usable({.item = id.item - d.items_back, .part = d.part});
  });
  if (ok) item.usable = static_cast<std::uint16_t>(item.usable | 1U << id.part);
  return ok;
}

std::vector<PartId> DependencyRule::on_lost(const PartId& id) {
  std::vector<PartId> also;
  if (!usable(id)) return also;
  const auto lose = [&](const PartId& lost) {
    Item& item = items_[slot_of(lost.item)];
    item.usable = static_cast<std::uint16_t>(item.usable & ~(1U << lost.part));
  };
  lose(id);
  // A publisher may number its items with gaps as it likes: those of the log only.
  for (std::int64_t n = id.item; n <= log_->newest(); ++n) {
    const Item& item = items_[slot_of(n)];
    if (item.number != n || item.usable == 0) continue;
    for (std::uint8_t p = 0; p < kMaxParts; ++p) {
      const PartId next{.item = n, .part = p};
      if ((item.usable >> p & 1) == 0) continue;
      const ItemLog::Entry* entry = log_->find(next);
      const bool hold = entry == nullptr ||
                        std::all_of(entry->envelope.depends_on.begin(),
                                    entry->envelope.depends_on.end(), [&](const Dependency& d) {
                                      const PartId needed{.item = n - d.items_back, .part = d.part};
                                      return needed.item < log_->oldest() || usable(needed);
                                    });
      if (hold) continue;
      lose(next);
      also.push_back(next);
    }
  }
  return also;
}

}  // namespace qps
