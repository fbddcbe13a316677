#include "pubsub/cluster/room_locks.h"

#include <algorithm>

namespace qps {

using qvid::Timestamp;

bool RoomLocks::set(const std::string& room, std::optional<std::set<std::string>> let_in) {
  if (!wishes_.contains(room) && wishes_.size() >= kMaxLocks) return false;
  Wish& wish = wishes_[room];
  wish.let_in = std::move(let_in);
  wish.next = {};
  return true;
}

const std::set<std::string>* RoomLocks::let_in(const std::string& room) const {
  if (const auto wish = wishes_.find(room); wish != wishes_.end()) {
    return wish->second.let_in ? &*wish->second.let_in : nullptr;
  }
  const auto known = known_.find(room);
  return known != known_.end() ? &known->second.let_in : nullptr;
}

std::vector<std::string> RoomLocks::rooms() const {
  std::vector<std::string> rooms;
  for (const auto& [room, lock] : known_) rooms.push_back(room);
  return rooms;
}

// What is the case now, and is told.
void RoomLocks::learn(const std::string& room, std::optional<std::set<std::string>> let_in,
                      std::uint64_t revision) {
  changes_.push_back({.room = room, .let_in = let_in, .revision = revision});
  if (let_in) {
    known_[room] = {.let_in = *std::move(let_in), .revision = revision};
  } else {
    known_.erase(room);
  }
}

bool RoomLocks::on_entry(const LockKey& key, LockEntry entry, std::uint64_t revision,
                         bool in_snapshot) {
  const auto known = known_.find(key.room);
  if (known == known_.end() && known_.size() >= kMaxLocks) return false;
  if (in_snapshot) seen_.insert(key.room);
  // A snapshot is what there is, also where the store was made anew and counts from the beginning.
  if (!in_snapshot && known != known_.end() && known->second.revision >= revision) return true;
  std::set<std::string> names(std::make_move_iterator(entry.names.begin()),
                              std::make_move_iterator(entry.names.end()));
  learn(key.room, std::move(names), revision);
  return true;
}

void RoomLocks::on_removed(const LockKey& key, std::uint64_t revision) {
  const auto known = known_.find(key.room);
  if (known == known_.end() || known->second.revision >= revision) return;
  learn(key.room, std::nullopt, revision);
}

void RoomLocks::on_snapshot_end(bool lost) {
  for (auto& [room, wish] : wishes_) wish.under_way = false;
  for (const std::string& room : rooms()) {
    if (seen_.contains(room)) continue;
    if (lost) {
      known_[room].revision = 0;
      wishes_.try_emplace(room, Wish{.let_in = known_[room].let_in});
    } else {
      learn(room, std::nullopt, 0);  // somebody has opened it meanwhile
    }
  }
  seen_.clear();
}

bool RoomLocks::is_done(const std::string& room, const Wish& wish) const {
  const auto known = known_.find(room);
  if (known == known_.end()) return !wish.let_in;
  return known->second.revision != 0 && wish.let_in == known->second.let_in;
}

void RoomLocks::on_outcome(const std::string& room, DirectoryOutcome outcome,
                           std::uint64_t revision, Timestamp now) {
  const auto it = wishes_.find(room);
  if (it == wishes_.end()) return;
  it->second.under_way = false;
  it->second.next = now + kTryAgain;
  if (outcome != DirectoryOutcome::kDone) return;
  auto written = std::move(it->second.written);
  if (written == it->second.let_in) wishes_.erase(it);
  const auto known = known_.find(room);
  if (known != known_.end() && known->second.revision >= revision) return;  // the news were faster
  learn(room, std::move(written), revision);
}

std::vector<std::pair<std::string, DirectoryOp>> RoomLocks::take_ops(Timestamp now) {
  std::vector<std::pair<std::string, DirectoryOp>> ops;
  for (auto it = wishes_.begin(); it != wishes_.end();) {
    const std::string room = it->first;
    Wish& wish = it->second;
    const auto known = known_.find(room);
    const bool in_store = known != known_.end() && known->second.revision != 0;
    if (!wish.under_way && !wish.let_in && !in_store && known != known_.end()) {
      learn(room, std::nullopt, 0);
    }
    if (!wish.under_way && is_done(room, wish)) {
      it = wishes_.erase(it);
      continue;
    }
    ++it;
    if (wish.under_way || now < wish.next) continue;
    wish.under_way = true;
    wish.written = wish.let_in;
    DirectoryOp op{.kind = DirectoryOp::Kind::kRemove, .key = key_text(LockKey{room}), .value = {}};
    if (wish.let_in) {
      op.kind = in_store ? DirectoryOp::Kind::kUpdate : DirectoryOp::Kind::kCreate;
      op.value = serialise(LockEntry{{wish.let_in->begin(), wish.let_in->end()}});
    }
    if (in_store) op.revision = known->second.revision;
    ops.emplace_back(room, std::move(op));
  }
  return ops;
}

}  // namespace qps
