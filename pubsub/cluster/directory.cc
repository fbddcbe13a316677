#include "pubsub/cluster/directory.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace qps {

using qvid::Timestamp;

namespace {

bool is_node_key(const std::string& text) {
  const auto key = parse_key(text);
  return key && std::holds_alternative<NodeKey>(*key);
}

bool same_but_members(NodeEntry a, const NodeEntry& b) {
  a.members = b.members;
  a.lease = b.lease;
  return a == b;
}

}  // namespace

std::uint64_t Directory::begin_op(DirectoryOp::Kind kind, std::string key, std::string value,
                                  std::uint64_t revision) {
  out_.push_back({.id = next_id_,
                  .kind = kind,
                  .key = std::move(key),
                  .value = std::move(value),
                  .revision = revision});
  return next_id_++;
}

std::vector<DirectoryOp> Directory::take_ops() { return std::exchange(out_, {}); }
std::vector<DirectoryEvent> Directory::take_events() { return std::exchange(events_, {}); }

bool Directory::works(Timestamp now) const {
  // Where the own key is not there, others take this node for gone as soon as they look.
  const qvid::Duration limit = echo_revision_ != 0 ? promised_ : kLease;
  return synced_ && !displaced_ && !leaving_ && echo_ && now - *echo_ <= limit;
}

bool Directory::holds(const NameKey& key) const {
  const auto it = mine_.find(key);
  return it != mine_.end() && it->second.state == Holding::kHeld;
}

const Directory::Node* Directory::node(const std::string& name) const {
  const auto it = nodes_.find(name);
  return it != nodes_.end() ? &it->second : nullptr;
}

bool Directory::is_dead(const Node& node, Timestamp now) const {
  return worked_ && now - node.changed > lease_of(node.entry);
}

bool Directory::is_of_dead(const NameEntry& entry, Timestamp now) const {
  if (entry.node == me_) return entry.incarnation != entry_.incarnation;
  const Node* const holder = node(entry.node);
  return holder == nullptr || holder->entry.incarnation != entry.incarnation ||
         is_dead(*holder, now);
}

bool Directory::is_own(const NameEntry& entry) const {
  return entry.node == me_ && entry.incarnation == entry_.incarnation;
}

std::set<std::string> Directory::nodes_of(const std::string& room) const {
  std::set<std::string> nodes;
  const auto it = names_.find(room);
  if (it == names_.end()) return nodes;
  for (const auto& [name, held] : it->second) {
    const Node* const holder = node(held.entry.node);
    if (holder != nullptr && holder->entry.version == kClusterVersion &&
        holder->entry.incarnation == held.entry.incarnation) {
      nodes.insert(held.entry.node);
    }
  }
  return nodes;
}

const Directory::Name* Directory::find(const NameKey& key) const {
  const auto room = names_.find(key.room);
  if (room == names_.end()) return nullptr;
  const auto name = room->second.find(key.name);
  return name != room->second.end() ? &name->second : nullptr;
}

void Directory::leave() {
  leaving_ = true;
  if (lease_revision_ != 0) {
    begin_op(DirectoryOp::Kind::kRemove, key_text(NodeKey{me_}), "", lease_revision_);
    lease_revision_ = 0;
  }
}

void Directory::on_snapshot_begin() {
  seen_.clear();
  locks_.on_snapshot_begin();
  in_snapshot_ = true;
}

void Directory::on_snapshot_end(Timestamp now) {
  if (!std::exchange(in_snapshot_, false)) return;
  std::vector<NameKey> gone;
  for (const auto& [room, names] : names_) {
    for (const auto& [name, held] : names) {
      NameKey key{.room = room, .name = name};
      if (!seen_.contains(key_text(key))) gone.push_back(std::move(key));
    }
  }
  for (const NameKey& key : gone) on_name_gone(key);
  std::erase_if(nodes_,
                [&](const auto& each) { return !seen_.contains(key_text(NodeKey{each.first})); });
  if (!seen_.contains(key_text(NodeKey{me_}))) {
    lease_revision_ = echo_revision_ = 0;
    rival_.reset();
  }
  // What was held and is not in the store, whatever became of it.
  for (auto& [key, mine] : mine_) {
    if (mine.state == Holding::kHeld && find(key) == nullptr) on_name_gone(key);
  }
  // What was under way is tried again: its outcome counts no more, for it may be of a store that has
  // been lost since.
  ops_.clear();
  lock_ops_.clear();
  for (auto& [key, mine] : mine_) {
    if (std::exchange(mine.op, 0) != 0) mine.next = now;
    const Name* const there = find(key);
    mine.revision = there != nullptr && is_own(there->entry) ? there->revision : 0;
  }
  // A store in which no node is was lost: each writes its lease before anything else.
  locks_.on_snapshot_end(std::ranges::none_of(seen_, is_node_key));
  tell_locks();
  ++changes_;
  seen_.clear();
  synced_ = true;
}

void Directory::on_entry(std::string_view key, std::string_view value, std::uint64_t revision,
                         Timestamp now) {
  const auto parsed = parse_key(key);
  if (!parsed) {
    ++malformed_;
    return;
  }
  if (const auto* name = std::get_if<NameKey>(&*parsed)) {
    if (auto entry = parse_name_entry(value)) {
      on_name(*name, *std::move(entry), revision);
    } else {
      ++malformed_;
    }
    if (in_snapshot_ && find(*name) != nullptr) seen_.emplace(key);
    return;
  }
  if (const auto* lock = std::get_if<LockKey>(&*parsed)) {
    auto entry = parse_lock_entry(value);
    if (!entry || !locks_.on_entry(*lock, *std::move(entry), revision, in_snapshot_)) ++malformed_;
    return tell_locks();
  }
  const auto& node = std::get<NodeKey>(*parsed);
  if (auto entry = parse_node_entry(value)) {
    on_node(node, *std::move(entry), revision, now);
  } else {
    ++malformed_;
  }
  if (in_snapshot_ && (node.node == me_ || nodes_.contains(node.node))) seen_.emplace(key);
}

void Directory::on_node(const NodeKey& key, NodeEntry entry, std::uint64_t revision,
                        Timestamp now) {
  if (key.node == me_) {
    if (entry.incarnation == entry_.incarnation) {
      echo_ = now;
      echo_revision_ = revision;
      promised_ = lease_of(entry);
      rival_.reset();
      displaced_ = false;
      lease_revision_ = in_snapshot_ ? revision : std::max(lease_revision_, revision);
      return;
    }
    // One that is left over from before this start does not change.
    const bool lives =
        lease_revision_ != 0 ? revision > lease_revision_ : rival_ && revision > rival_->revision;
    echo_revision_ = 0;  // what is there is not one's own
    // A snapshot may be of a store that was made anew, and counts from the beginning.
    if (!rival_ || revision > rival_->revision || (in_snapshot_ && revision < rival_->revision)) {
      rival_ = Node{.entry = std::move(entry), .revision = revision, .changed = now};
    }
    if (!lives) return;
    lease_revision_ = 0;
    if (!std::exchange(displaced_, true)) {
      events_.emplace_back(NodeDisplaced{"another node runs as '" + me_ + "', at " +
                                         qvid::printable(rival_->entry.address) +
                                         ": give each node a name of its own"});
    }
    return;
  }
  const auto it = nodes_.find(key.node);
  if (!in_snapshot_ && it != nodes_.end() && it->second.revision >= revision) return;
  if (it == nodes_.end() && nodes_.size() >= kMaxNodes) {
    ++malformed_;
    return;
  }
  // A lease alone changes nothing that somebody would do something about.
  if (it == nodes_.end() || !same_but_members(it->second.entry, entry)) ++changes_;
  // What a snapshot repeats is no word of that node.
  const bool repeated = worked_ && it != nodes_.end() && it->second.revision == revision;
  const Timestamp changed = repeated ? it->second.changed : now;
  nodes_[key.node] = {.entry = std::move(entry), .revision = revision, .changed = changed};
}

void Directory::on_name(const NameKey& key, NameEntry entry, std::uint64_t revision) {
  const Name* const known = find(key);
  if (known == nullptr && name_count_ >= kMaxNames) {
    ++malformed_;
    return;
  }
  // A snapshot is what there is, also where the store was made anew and counts from the beginning.
  if (!in_snapshot_ && known != nullptr && known->revision > revision) return;
  const bool own = is_own(entry);
  ++changes_;
  if (known == nullptr) ++name_count_;
  names_[key.room][key.name] = {.entry = std::move(entry), .revision = revision};
  const auto mine = mine_.find(key);
  if (own && mine == mine_.end()) {
    // A claim that nobody waits for any more was done after all.
    mine_[key].state = Holding::kReleasing;
  } else if (!own && mine != mine_.end() && mine->second.state == Holding::kHeld &&
             (in_snapshot_ || revision > mine->second.revision)) {
    events_.emplace_back(NameLost{key});
    mine_.erase(mine);
  }
}

void Directory::on_removed(std::string_view key, std::uint64_t revision, Timestamp) {
  const auto parsed = parse_key(key);
  if (!parsed) {
    ++malformed_;
    return;
  }
  if (const auto* name = std::get_if<NameKey>(&*parsed)) {
    const Name* const known = find(*name);
    if (known == nullptr || known->revision < revision) on_name_gone(*name);
    return;
  }
  if (const auto* lock = std::get_if<LockKey>(&*parsed)) {
    locks_.on_removed(*lock, revision);
    return tell_locks();
  }
  const std::string& node = std::get<NodeKey>(*parsed).node;
  if (node == me_) {
    echo_revision_ = 0;
    if (revision > lease_revision_) lease_revision_ = 0;
    if (rival_ && revision > rival_->revision) rival_.reset();
  } else if (const auto it = nodes_.find(node);
             it != nodes_.end() && it->second.revision < revision) {
    nodes_.erase(it);
    ++changes_;
  }
}

void Directory::on_name_gone(const NameKey& key) {
  ++changes_;
  if (const auto room = names_.find(key.room); room != names_.end()) {
    name_count_ -= room->second.erase(key.name);
    if (room->second.empty()) names_.erase(room);
  }
  const auto mine = mine_.find(key);
  if (mine != mine_.end() && mine->second.next) mine->second.next = Timestamp();
  // Somebody took it for dead, or the store was lost: it is claimed again, if nobody else does.
  if (mine != mine_.end() && mine->second.state == Holding::kHeld) {
    mine->second.state = Holding::kReclaiming;
    mine->second.next = Timestamp();
  }
}

void Directory::put_lease(Timestamp now) {
  if (leaving_ || !synced_) return;
  if (lease_op_ != 0 && now - lease_tried_ > kAnswerLimit) lease_op_ = 0;
  std::uint64_t revision = lease_revision_;
  // Who is not in the directory does not wait for its turn.
  const qvid::Duration wait = revision == 0 ? kPutEvery : put_every() * wait_ / kMostWait;
  if (lease_op_ != 0 || now - lease_tried_ < wait) return;
  if (rival_ && revision == 0) {
    if (now - rival_->changed <= lease_of(rival_->entry))
      return;  // until its lease is seen to have ended
    revision = rival_->revision;
  }
  lease_tried_ = now;
  wait_ = std::uniform_int_distribution<int>(kLeastWait, kMostWait)(random_);
  entry_.lease = of_many(kLease);
  lease_op_ = begin_op(revision == 0 ? DirectoryOp::Kind::kCreate : DirectoryOp::Kind::kUpdate,
                       key_text(NodeKey{me_}), serialise(entry_), revision);
}

void Directory::poll(Timestamp now) {
  put_lease(now);
  const bool working = works(now);
  // Nodes that could not be heard have a lease's time to show themselves.
  if (working && !worked_) {
    for (auto& [name, node] : nodes_) node.changed = now;
  }
  worked_ = working;
  for (auto it = mine_.begin(); it != mine_.end();) {
    const auto each = it++;  // it may go
    look_after(each->first, each->second, now);
    // While it does not work nobody has looked whether there is something to remove.
    if (working && each->second.state == Holding::kReleasing && each->second.op == 0 &&
        each->second.revision == 0 && !each->second.next) {
      mine_.erase(each);
    }
  }
  if (working) {
    for (auto& [room, op] : locks_.take_ops(now)) {
      lock_ops_[begin_op(op.kind, std::move(op.key), std::move(op.value), op.revision)] = room;
    }
    tell_locks();
  }
  if (working && (!cleaned_ || now - *cleaned_ >= kPutEvery)) {
    cleaned_ = now;
    clean(now);
  }
}

void Directory::clean(Timestamp now) {
  for (const auto& [name, node] : nodes_) {
    if (name < me_ && !is_dead(node, now)) return;  // that one does it
  }
  std::size_t left = kMaxCleaned;
  for (const auto& [name, node] : nodes_) {
    if (left == 0) return;
    if (now - node.changed < std::max(clean_after(), lease_of(node.entry) * 10 / 3)) continue;
    begin_op(DirectoryOp::Kind::kRemove, key_text(NodeKey{name}), "", node.revision);
    --left;
  }
  for (auto& [room, names] : names_) {
    for (auto& [name, held] : names) {
      if (!is_of_dead(held.entry, now)) {
        held.dead_since.reset();
        continue;
      }
      if (!held.dead_since) held.dead_since = now;
      if (now - *held.dead_since < clean_after() || left == 0) continue;
      begin_op(DirectoryOp::Kind::kRemove, key_text(NameKey{.room = room, .name = name}), "",
               held.revision);
      --left;
    }
  }
  clean_locks(now);
}

// A room ends when nobody has been in it for a while, and its lock with it.
void Directory::clean_locks(Timestamp now) {
  std::erase_if(empty_since_, [&](const auto& each) {
    return names_.contains(each.first) || locks_.let_in(each.first) == nullptr;
  });
  for (const std::string& room : locks_.rooms()) {
    if (names_.contains(room)) continue;
    const Timestamp since = empty_since_.try_emplace(room, now).first->second;
    if (now - since >= clean_after()) locks_.remove(room);
  }
}

void Directory::set_lock(const std::string& room, std::optional<std::set<std::string>> let_in) {
  locks_.set(room, std::move(let_in));
}

void Directory::tell_locks() {
  for (LockChanged& change : locks_.take_changes()) events_.emplace_back(std::move(change));
}

}  // namespace qps
