// Which rooms of a cluster are locked, and whom a locked one lets in: a key a locked room in the
// directory's store, which any node on which the room is may write.
//
//   an administrator here --set--> a wish --DirectoryOp--> store --on_entry, on_removed--> LockChanged
//
// The last one who wrote decides. A wish is tried by the revision that is known until the store has
// done it, also where the store does not answer for a while: nobody new comes in anywhere meanwhile.
// A store that was lost, and is there again empty, is told of all locks that were known.
//
// Bounds: kMaxLocks, and as many wishes. Pure. Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "pubsub/cluster/directory_entry.h"
#include "pubsub/cluster/directory_op.h"

namespace qps {

// Told of each change, also of one that was wished for here.
struct LockChanged {
  std::string room;
  std::optional<std::set<std::string>> let_in;  // who may come in; empty: everybody
  std::uint64_t revision = 0;  // of the lock: who came by a later one came too late
};

class RoomLocks {
 public:
  static constexpr std::size_t kMaxLocks = 10'000;
  // After a conflict, for the news of who was faster.
  static constexpr qvid::Duration kTryAgain = std::chrono::milliseconds(50);

  // From an administrator here. Empty: the room is open. false: there are too many.
  bool set(const std::string& room, std::optional<std::set<std::string>> let_in);
  // Who may come in; nullptr: everybody. A wish counts as done.
  const std::set<std::string>* let_in(const std::string& room) const;

  // From the store.
  void on_snapshot_begin() { seen_.clear(); }
  // false: there are too many.
  bool on_entry(const LockKey& key, LockEntry entry, std::uint64_t revision, bool in_snapshot);
  void on_removed(const LockKey& key, std::uint64_t revision);
  // `lost`: the store has been made anew. What was under way is tried again.
  void on_snapshot_end(bool lost);
  void on_outcome(const std::string& room, DirectoryOutcome outcome, std::uint64_t revision,
                  qvid::Timestamp now);
  // The lock of a room in which nobody is any more goes.
  void remove(const std::string& room) { set(room, std::nullopt); }

  // What is to be written, without its number: on_outcome is told the room.
  std::vector<std::pair<std::string, DirectoryOp>> take_ops(qvid::Timestamp now);
  std::vector<LockChanged> take_changes() { return std::exchange(changes_, {}); }
  std::vector<std::string> rooms() const;
  std::size_t count() const { return known_.size(); }

 private:
  struct Known {
    std::set<std::string> let_in;
    std::uint64_t revision = 0;  // 0: it is in the store no more
  };
  struct Wish {
    std::optional<std::set<std::string>> let_in;
    std::optional<std::set<std::string>> written{};  // by what is under way
    bool under_way = false;
    qvid::Timestamp next{};
  };

  // The wish of a room that changes while one is written is written after it.
  bool is_done(const std::string& room, const Wish& wish) const;
  void learn(const std::string& room, std::optional<std::set<std::string>> let_in,
             std::uint64_t revision);

  std::map<std::string, Known> known_;
  std::map<std::string, Wish> wishes_;
  std::set<std::string> seen_;  // in a snapshot that is coming
  std::vector<LockChanged> changes_;
};

}  // namespace qps
