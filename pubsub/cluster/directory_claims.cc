// The own names of a Directory: claimed, held, let go.
#include <algorithm>
#include <utility>

#include "pubsub/cluster/directory.h"

namespace qps {

using qvid::Timestamp;

namespace {

constexpr const char* kSilent =
    "the directory of the cluster (NATS) does not answer: nobody new is let in until it does; those "
    "who are in stay";

constexpr const char* kDisplaced =
    "another node of the cluster runs under this one's name: this one lets nobody in until that one "
    "has gone";

}  // namespace

bool Directory::may_take(const Name& name, const std::string& self, Timestamp now) const {
  return is_own(name.entry) || is_of_dead(name.entry, now) ||
         (!self.empty() && name.entry.self == self);
}

std::uint64_t Directory::claim(const NameKey& key, const std::string& self, Timestamp now) {
  const std::uint64_t number = next_id_++;
  const auto refuse = [&](const char* why, bool taken) {
    events_.emplace_back(ClaimDone{.claim = number, .error = why, .taken = taken});
    return number;
  };
  if (displaced_) return refuse(kDisplaced, false);
  const auto before = mine_.find(key);
  if (!works(now)) {
    // Of one who comes back here the name was not let go yet, for the store does not answer.
    if (before == mine_.end() || leaving_ || self.empty() ||
        before->second.state != Holding::kReleasing || before->second.self != self ||
        before->second.revision == 0) {
      return refuse(kSilent, false);
    }
    before->second.claim = number;
    finish(before->second, "", false);
    return number;
  }
  // One that is let go is taken up again, by whoever may have it: the store says.
  if (before != mine_.end() && before->second.state != Holding::kReleasing) {
    return refuse("somebody has that name, or is about to", true);
  }
  const auto under_way =
      std::ranges::count_if(mine_, [](const auto& each) { return each.second.claim != 0; });
  if (std::cmp_greater_equal(under_way, kMaxClaims)) {
    return refuse("too many want to come in at once: try again in a moment", false);
  }
  Mine& mine = mine_[key];
  ops_.erase(mine.op);  // what becomes of it the news will tell
  mine = {};
  mine.self = self;
  mine.claim = number;
  mine.since = now;
  try_claim(key, mine, now);
  return number;
}

void Directory::try_claim(const NameKey& key, Mine& mine, Timestamp now) {
  mine.next.reset();
  mine.removing = false;
  const std::string value =
      serialise(NameEntry{.node = me_, .incarnation = entry_.incarnation, .self = mine.self});
  const Name* const there = find(key);
  if (there == nullptr) {
    mine.op = begin_op(DirectoryOp::Kind::kCreate, key_text(key), value, 0);
  } else if (may_take(*there, mine.self, now)) {
    mine.op = begin_op(DirectoryOp::Kind::kUpdate, key_text(key), value, there->revision);
  } else if (mine.state == Holding::kReclaiming) {
    events_.emplace_back(NameLost{key});
    mine.state = Holding::kReleasing;
    mine.revision = 0;
    return;
  } else {
    return finish(mine, "somebody has that name, on another node", true);
  }
  ops_[mine.op] = key;
}

// It is answered; with an error, what may have been written is let go.
void Directory::finish(Mine& mine, std::string error, bool taken) {
  const bool held = error.empty();
  if (mine.claim != 0) {
    events_.emplace_back(ClaimDone{.claim = std::exchange(mine.claim, 0),
                                   .error = std::move(error),
                                   .taken = taken,
                                   .revision = mine.revision});
  }
  mine.state = held ? Holding::kHeld : Holding::kReleasing;
  mine.next.reset();
}

void Directory::release(const NameKey& key) {
  const auto it = mine_.find(key);
  if (it == mine_.end()) return;
  it->second.claim = 0;
  it->second.state = Holding::kReleasing;
  it->second.next.reset();
}

void Directory::on_outcome(std::uint64_t op, DirectoryOutcome outcome, std::uint64_t revision,
                           Timestamp now) {
  if (op == lease_op_) {
    lease_op_ = 0;
    if (leaving_) return;
    if (outcome == DirectoryOutcome::kDone) {
      lease_revision_ = revision;
    } else if (outcome == DirectoryOutcome::kConflict) {
      lease_revision_ = echo_revision_;
    }
    return;
  }
  if (const auto lock = lock_ops_.extract(op)) {
    locks_.on_outcome(lock.mapped(), outcome, revision, now);
    return tell_locks();
  }
  const auto it = ops_.find(op);
  if (it == ops_.end()) return;
  const NameKey key = it->second;
  ops_.erase(it);
  const auto found = mine_.find(key);
  if (found == mine_.end() || found->second.op != op) return;
  Mine& mine = found->second;
  mine.op = 0;
  const Name* const there = find(key);
  const bool of_another = there != nullptr && !is_own(there->entry);
  if (mine.removing) {
    if (outcome == DirectoryOutcome::kDone) {
      if (mine.state == Holding::kReleasing) {
        mine_.erase(found);
      } else {  // it was taken up again meanwhile, without the store
        mine.state = Holding::kReclaiming;
        mine.next = now;
      }
    } else if (outcome == DirectoryOutcome::kConflict && (there == nullptr || of_another)) {
      if (mine.state == Holding::kReleasing) mine_.erase(found);
    } else {
      mine.next = now + kTryAgain;
    }
    return;
  }
  if (outcome != DirectoryOutcome::kDone) {
    mine.next = now + kTryAgain;
    return;
  }
  mine.revision = revision;
  if (mine.state == Holding::kReleasing) return;  // it was given up meanwhile, and goes again
  finish(mine, "", false);
  // Somebody was faster by now, of which the news came first.
  if (of_another && there->revision > revision) {
    events_.emplace_back(NameLost{key});
    mine_.erase(found);
  }
}

void Directory::look_after(const NameKey& key, Mine& mine, Timestamp now) {
  if (mine.state == Holding::kClaiming && now - mine.since > kAnswerLimit) {
    finish(mine, kSilent, false);
  }
  if (mine.state == Holding::kHeld || mine.op != 0 || !worked_) return;
  if (mine.state == Holding::kReleasing) {
    if (mine.next && now < *mine.next) return;
    mine.next.reset();
    const Name* const there = find(key);
    if (there != nullptr && is_own(there->entry)) mine.revision = there->revision;
    if (mine.revision == 0) return;
    mine.removing = true;
    mine.op = begin_op(DirectoryOp::Kind::kRemove, key_text(key), "", mine.revision);
    ops_[mine.op] = key;
  } else if (mine.next && now >= *mine.next) {
    try_claim(key, mine, now);
  }
}

}  // namespace qps
