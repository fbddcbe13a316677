// A node's part in the directory of a cluster: which nodes there are, who holds which name, on which
// nodes a room is, and which rooms are locked (room_locks.h). The directory itself is a store of keys with revisions that grow
// (directory_entry.h has the keys), told to all nodes in one order; in the program a bucket of NATS.
//
//   broker --claim, release--> Directory --Op: create, update, remove by revision--> store
//          <--DirectoryEvent--           <--on_outcome, on_entry, on_removed-----------
//
// A name is held by who wrote its key: create, or update by the revision that was read, which the
// store does for one and refuses to all others. It may be taken over from
//   - the same one (NameEntry::self), at once: it comes back at another node;
//   - a node that is dead, or was started anew.
// Who finds that another one holds its name by a higher revision gives it up (NameLost), so that after
// a partition it has one holder: the last one who wrote.
//
// Leases: each node writes its key every put_every(), and for how long it is to be taken for living
// without another word: three times that. Who says nothing for so long is dead, measured here from when
// its key's change was told: nobody's wall clock counts. What is dead is removed by the first of the
// living, after ten times put_every(). All nodes are told of each write: so that their number does not
// count squared, a second has some kMostPuts of them, and of more nodes each writes more seldom. Nodes
// that began together, as when the store is back, draw apart: each waits for three quarters of
// put_every() at least, drawn anew each time.
//
// Whether all this works is told by the echo: the own key must come back from the store. Where it
// has not for the own lease, nobody new is let in, and what is known stays as it is; when it comes
// back, nodes have a lease's time to show themselves, and own names that are gone are claimed again.
//
// Where another program writes the own key, this one is displaced: it lets nobody in, and takes the key
// up again when that one has been silent for its lease, or has removed it.
//
// Bounds: kMaxNodes, kMaxNames, kMaxClaims under way, kMaxCleaned removals a second. Pure. Thread:
// one at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"
#include "pubsub/cluster/directory_entry.h"
#include "pubsub/cluster/directory_op.h"
#include "pubsub/cluster/room_locks.h"

namespace qps {

// To a claim. An empty error: the name is held, by that revision.
struct ClaimDone {
  std::uint64_t claim = 0;
  std::string error;
  bool taken = false;  // of an error: another one has the name; else the directory does not answer
  std::uint64_t revision = 0;
};
// Another one holds it now.
struct NameLost {
  NameKey key;
};
// Another program runs under this node's name: this one takes in nobody until that one has gone.
struct NodeDisplaced {
  std::string reason;
};
using DirectoryEvent = std::variant<ClaimDone, NameLost, NodeDisplaced, LockChanged>;

class Directory {
 public:
  // Of up to kMostPuts nodes; of N more than that, N / kMostPuts times as long.
  static constexpr qvid::Duration kPutEvery = std::chrono::seconds(1);
  static constexpr qvid::Duration kLease = kLeastLease;
  static constexpr qvid::Duration kCleanAfter = 10 * kPutEvery;
  static constexpr std::int64_t kMostPuts = 200;  // a second, of all nodes (docs/capacity.md)
  // Of put_every() a wait is drawn, of 1024; on average it is 7/8.
  static constexpr int kLeastWait = 768;
  static constexpr int kMostWait = 1024;
  // Until a claim, or an answer of the store, is given up.
  static constexpr qvid::Duration kAnswerLimit = std::chrono::seconds(2);
  // After a conflict, for the news of who was faster.
  static constexpr qvid::Duration kTryAgain = std::chrono::milliseconds(50);
  static constexpr std::size_t kMaxNodes = 1024;
  static constexpr std::size_t kMaxNames = 200'000;
  static constexpr std::size_t kMaxClaims = 1024;
  static constexpr std::size_t kMaxCleaned = 100;

  // `entry`: of this node; its incarnation is its own.
  Directory(std::string node, NodeEntry entry)
      : me_(std::move(node)),
        entry_(std::move(entry)),
        random_(static_cast<std::uint32_t>(std::hash<std::string>()(me_ + entry_.incarnation))) {}

  // From the broker: a name for one who is known by `self`; ClaimDone follows, of the same number.
  std::uint64_t claim(const NameKey& key, const std::string& self, qvid::Timestamp now);
  // It is no longer needed, whether the claim was answered or not.
  void release(const NameKey& key);
  // From an administrator: whom the room lets in; empty: everybody. The lock of a room in which nobody
  // is goes after kCleanAfter.
  void set_lock(const std::string& room, std::optional<std::set<std::string>> let_in);
  // nullptr: everybody.
  const std::set<std::string>* let_in(const std::string& room) const { return locks_.let_in(room); }
  std::size_t lock_count() const { return locks_.count(); }
  // Of this node, for the others.
  void set_load(std::int64_t members) { entry_.members = members; }
  void set_draining() { entry_.draining = true; }
  // The own key goes, so that nobody waits for its lease; nothing is claimed any more.
  void leave();

  // From the store. A snapshot: all that is there, at the beginning and after each loss.
  void on_snapshot_begin();
  void on_entry(std::string_view key, std::string_view value, std::uint64_t revision,
                qvid::Timestamp now);
  void on_removed(std::string_view key, std::uint64_t revision, qvid::Timestamp now);
  void on_snapshot_end(qvid::Timestamp now);
  void on_outcome(std::uint64_t op, DirectoryOutcome outcome, std::uint64_t revision,
                  qvid::Timestamp now);
  // At least every kTryAgain.
  void poll(qvid::Timestamp now);

  // What is to be done and told since the last call.
  std::vector<DirectoryOp> take_ops();
  std::vector<DirectoryEvent> take_events();

  // For as many nodes as are known.
  qvid::Duration put_every() const { return of_many(kPutEvery); }

  // The store answers: names can be claimed.
  bool works(qvid::Timestamp now) const;
  // Another program has this node's key.
  bool displaced() const { return displaced_; }
  // What everybody here holds, of this node.
  bool holds(const NameKey& key) const;
  struct Node {
    NodeEntry entry;
    std::uint64_t revision = 0;
    qvid::Timestamp changed{};  // here
  };
  // The others, dead ones until they are removed. Those of another version are not spoken to.
  const std::map<std::string, Node>& nodes() const { return nodes_; }
  // nullptr: it is not known.
  const Node* node(const std::string& name) const;
  bool is_dead(const Node& node, qvid::Timestamp now) const;
  // The other nodes on which somebody holds a name of that room.
  std::set<std::string> nodes_of(const std::string& room) const;
  struct Name {
    NameEntry entry;
    std::uint64_t revision = 0;
    std::optional<qvid::Timestamp> dead_since{};
  };
  // By room, and in it by name.
  const std::map<std::string, std::map<std::string, Name>>& names() const { return names_; }
  std::size_t name_count() const { return name_count_; }
  std::uint64_t changes() const { return changes_; }     // of nodes and names, ever; not of leases
  std::int64_t malformed() const { return malformed_; }  // entries, ever
  const std::string& me() const { return me_; }
  const NodeEntry& entry() const { return entry_; }

 private:
  enum class Holding : std::uint8_t { kClaiming, kHeld, kReclaiming, kReleasing };
  struct Mine {
    Holding state = Holding::kClaiming;
    std::string self;
    std::uint64_t revision = 0;           // once it is held
    std::uint64_t claim = 0;              // while one is to be told; its number
    std::uint64_t op = 0;                 // under way; 0: none
    bool removing = false;                // that one is a removal
    qvid::Timestamp since{};              // of the claim, or the op
    std::optional<qvid::Timestamp> next;  // when to try again
  };

  qvid::Duration of_many(qvid::Duration few) const {
    const auto nodes = static_cast<std::int64_t>(nodes_.size()) + 1;
    return nodes <= kMostPuts ? few : few * nodes / kMostPuts;
  }
  std::uint64_t begin_op(DirectoryOp::Kind kind, std::string key, std::string value,
                         std::uint64_t revision);
  void try_claim(const NameKey& key, Mine& mine, qvid::Timestamp now);
  void finish(Mine& mine, std::string error, bool taken);
  void put_lease(qvid::Timestamp now);
  void look_after(const NameKey& key, Mine& mine, qvid::Timestamp now);
  void on_name(const NameKey& key, NameEntry entry, std::uint64_t revision);
  void on_node(const NodeKey& key, NodeEntry entry, std::uint64_t revision, qvid::Timestamp now);
  void on_name_gone(const NameKey& key);
  void clean(qvid::Timestamp now);
  void clean_locks(qvid::Timestamp now);
  void tell_locks();
  qvid::Duration clean_after() const { return of_many(kCleanAfter); }
  static qvid::Duration lease_of(const NodeEntry& entry) { return std::max(kLease, entry.lease); }
  bool may_take(const Name& name, const std::string& self, qvid::Timestamp now) const;
  bool is_own(const NameEntry& entry) const;
  bool is_of_dead(const NameEntry& entry, qvid::Timestamp now) const;
  const Name* find(const NameKey& key) const;

  const std::string me_;
  NodeEntry entry_;
  std::map<std::string, Node> nodes_;  // the others
  std::map<std::string, std::map<std::string, Name>> names_;
  std::size_t name_count_ = 0;
  std::map<NameKey, Mine> mine_;
  std::map<std::uint64_t, NameKey> ops_;  // of names, under way
  RoomLocks locks_;
  std::map<std::uint64_t, std::string> lock_ops_;       // rooms, under way
  std::map<std::string, qvid::Timestamp> empty_since_;  // rooms with a lock
  std::vector<DirectoryOp> out_;
  std::vector<DirectoryEvent> events_;
  std::set<std::string> seen_;  // of what is known, the keys in a snapshot that is coming
  bool in_snapshot_ = false;
  bool synced_ = false;
  std::uint64_t next_id_ = 1;
  std::uint64_t lease_op_ = 0;
  std::uint64_t lease_revision_ = 0;  // as far as is known
  std::uint64_t echo_revision_ = 0;   // as was told last
  qvid::Timestamp lease_tried_{};
  std::minstd_rand random_;
  int wait_ = kMostWait;       // of put_every(), until the next
  qvid::Duration promised_{};  // the lease of the echo
  std::optional<Node> rival_;  // another program's entry under this name
  std::optional<qvid::Timestamp> echo_;
  bool worked_ = false;  // at the last poll
  std::optional<qvid::Timestamp> cleaned_;
  bool displaced_ = false;
  bool leaving_ = false;
  std::uint64_t changes_ = 0;
  std::int64_t malformed_ = 0;
};

}  // namespace qps
