#include "pubsub/broker/item_log.h"

#include <utility>

namespace qps {

using qvid::DependencyLog;

bool ItemLog::note(const PartId& id, Entry entry) {
  if (id.item > kMaxItem || !dependencies_.note(id, entry.envelope.depends_on)) return false;
  entry.envelope.depends_on = {};
  if (entries_.empty()) entries_.resize(kItems);
  auto& parts = entries_[DependencyLog::slot_of(id.item)];
  if (parts.size() <= id.part) parts.resize(id.part + std::size_t{1});
  parts[id.part] = std::move(entry);
  return true;
}

ItemLog::Taken ItemLog::take(const FragmentId& id, ByteCount size) {
  Entry* entry = const_cast<Entry*>(find(id.part));
  const std::uint64_t bit = std::uint64_t{1} << id.fragment;
  if (entry == nullptr || (entry->came & bit) != 0) return Taken::kAgain;
  if (id.fragment >= entry->envelope.fragments) return Taken::kUnsound;
  entry->came |= bit;
  entry->bytes += size;
  return entry->bytes > ByteCount::of(kMaxPart) ? Taken::kUnsound : Taken::kYes;
}

const ItemLog::Entry* ItemLog::find(const PartId& id) const {
  if (dependencies_.find(id) == nullptr) return nullptr;
  return &entries_[DependencyLog::slot_of(id.item)][id.part];
}

}  // namespace qps
