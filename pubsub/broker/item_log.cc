#include "pubsub/broker/item_log.h"

#include <algorithm>
#include <utility>

namespace qps {

bool ItemLog::note(const PartId& id, Entry entry) {
  if (id.item < 0 || id.item > kMaxItem || id.part >= kMaxParts) return false;
  if (newest_ >= 0 && id.item < oldest()) return false;
  if (items_.empty()) items_.resize(kItems);
  Item& item = items_[static_cast<std::size_t>(id.item % kItems)];
  if (item.number != id.item) {
    item.number = id.item;
    item.known = 0;
    item.parts.clear();
  }
  if ((item.known >> id.part & 1) != 0) return false;
  if (item.parts.size() <= id.part) item.parts.resize(id.part + std::size_t{1});
  item.parts[id.part] = std::move(entry);
  item.known = static_cast<std::uint16_t>(item.known | 1U << id.part);
  newest_ = std::max(newest_, id.item);
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
  if (id.item < 0 || id.item < oldest() || id.part >= kMaxParts || items_.empty()) return nullptr;
  const Item& item = items_[static_cast<std::size_t>(id.item % kItems)];
  const bool known = item.number == id.item && (item.known >> id.part & 1) != 0;
  return known ? &item.parts[id.part] : nullptr;
}

void ItemLog::clear() {
  items_.clear();
  newest_ = -1;
}

}  // namespace qps
