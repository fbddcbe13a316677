#include "pubsub/broker/seat_tally.h"

#include <algorithm>
#include <cstdlib>

namespace qps {

SeatTally::Class& SeatTally::class_of(std::uint8_t importance) {
  const auto it = std::ranges::lower_bound(classes_, importance, {}, &Class::importance);
  if (it != classes_.end() && it->importance == importance) return *it;
  if (classes_.size() < kMostClasses) return *classes_.insert(it, {.importance = importance});
  return *std::ranges::min_element(
      classes_, {}, [&](const Class& c) { return std::abs(c.importance - importance); });
}

void SeatTally::on_offered(std::uint8_t importance, ByteCount size) {
  ++class_of(importance).offered;
  ++offered_;
  offered_bytes_ += size;
}

void SeatTally::on_lost(const ItemLog::Entry* part) {
  if (part != nullptr) ++class_of(part->envelope.importance).lost;
  ++lost_;
}

void SeatTally::on_unusable(const ItemLog::Entry* part, ByteCount size) {
  if (part == nullptr) return;
  on_offered(part->envelope.importance, size);
  on_lost(part);
}

void SeatTally::add(const SeatTally& other) {
  for (const Class& each : other.classes_) {
    Class& mine = class_of(each.importance);
    mine.offered += each.offered;
    mine.lost += each.lost;
  }
  offered_ += other.offered_;
  lost_ += other.lost_;
  offered_bytes_ += other.offered_bytes_;
  delivered_ += other.delivered_;
}

}  // namespace qps
