#include "pubsub/broker/forwarder.h"

namespace qps {

std::optional<Forwarder::Send> Forwarder::on_fragment(const FragmentId& id) {
  const ItemLog::Entry* entry = log_->find(id.part);
  if (entry == nullptr) return std::nullopt;
  const Envelope& envelope = entry->envelope;
  if (!first_) {
    if (!envelope.begins || id.fragment != 0) return std::nullopt;
    first_ = id.part.item - next_;
    broken_ = 0;
  }
  if (id.part.item - *first_ < 0) return std::nullopt;  // of before the beginning
  if (id.fragment == 0) {
    const bool admitted = rule_.admit(id.part);
    note(id.part, envelope, !admitted);
    if (!admitted) return std::nullopt;
  } else if (!rule_.usable(id.part)) {
    return std::nullopt;
  }
  const std::int64_t item = id.part.item - *first_;
  if (item > kMaxItem) return std::nullopt;
  if (item >= next_) next_ = item + 1;
  under_way_[id.part] |= std::uint64_t{1} << id.fragment;
  return Send{
      .id = id,
      .importance = envelope.importance,
      .position =
          position_of({.part = {.item = item, .part = id.part.part}, .fragment = id.fragment}),
      .deadline = entry->due_here + window_ + envelope.useful_for,
  };
}

void Forwarder::note(const PartId& part, const Envelope& envelope, bool lost) {
  if (!envelope.vital || envelope.useful_for <= Duration::zero()) return;
  const auto bit = static_cast<std::uint16_t>(1U << part.part);
  broken_ = static_cast<std::uint16_t>(lost ? broken_ | bit : broken_ & ~bit);
}

void Forwarder::note_lost(const PartId& part) {
  const ItemLog::Entry* entry = log_->find(part);
  if (entry != nullptr) note(part, entry->envelope, true);
}

std::vector<FragmentId> Forwarder::cancel(const PartId& part) {
  std::vector<FragmentId> all;
  const auto it = under_way_.find(part);
  if (it == under_way_.end()) return all;
  for (std::uint8_t i = 0; i < kMaxFragments; ++i) {
    if ((it->second >> i & 1) != 0) all.push_back({.part = part, .fragment = i});
  }
  return all;
}

std::vector<FragmentId> Forwarder::on_ended(const FragmentId& id, bool delivered) {
  const auto it = under_way_.find(id.part);
  if (it != under_way_.end()) {
    it->second &= ~(std::uint64_t{1} << id.fragment);
    if (it->second == 0) under_way_.erase(it);
  }
  std::vector<FragmentId> cancels;
  if (delivered || !rule_.usable(id.part)) return cancels;
  const std::vector<PartId> also = rule_.on_lost(id.part);
  note_lost(id.part);
  cancels = cancel(id.part);
  for (const PartId& part : also) {
    note_lost(part);
    for (const FragmentId& fragment : cancel(part)) cancels.push_back(fragment);
  }
  return cancels;
}

std::vector<FragmentId> Forwarder::restart() {
  std::vector<FragmentId> cancels;
  for (const auto& [part, fragments] : under_way_) {
    for (const FragmentId& fragment : cancel(part)) cancels.push_back(fragment);
  }
  rule_.clear();
  first_.reset();
  broken_ = 0;
  return cancels;
}

}  // namespace qps
