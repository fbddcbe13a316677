// Leases of a cluster of many nodes, and of one in which many leave or die.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "lab/load/store_model.h"
#include "pubsub/cluster/directory.h"

namespace qps {
namespace {

using qvid::lab::kClusterBegin;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A node that knows many others, as the store tells it.
class ManyNodes : public testing::Test {
 protected:
  static constexpr std::size_t kOthers = 599;  // three times what writes each second

  static std::string name_of(std::size_t i) { return "n" + std::to_string(i); }
  void show(const std::string& node, std::uint64_t at, std::int64_t members = 0) {
    d.on_entry(key_text(NodeKey{node}),
               serialise(NodeEntry{.incarnation = node,
                                   .address = node + ":1",
                                   .fingerprint = {},
                                   .secret = "s",
                                   .region = {},
                                   .members = members,
                                   .lease = seconds(9)}),
               at, now);
  }
  void begin(std::size_t others) {
    d.on_snapshot_begin();
    for (std::size_t i = 0; i < others; ++i) show(name_of(i), ++revision);
    d.on_snapshot_end(now);
  }
  // What it writes is done, and told. Gives how often it wrote its lease.
  int run(qvid::Duration time) {
    int puts = 0;
    for (const auto end = now + time; now < end;) {
      now += milliseconds(50);
      d.poll(now);
      for (const DirectoryOp& op : d.take_ops()) {
        ++puts;
        d.on_outcome(op.id, DirectoryOutcome::kDone, ++revision, now);
        own = {op.value, revision};
        d.on_entry(op.key, op.value, revision, now);
      }
    }
    return puts;
  }
  bool dead(const std::string& node) const { return d.is_dead(*d.node(node), now); }

  Directory d{
      "me", {.incarnation = "i", .address = "h:1", .fingerprint = {}, .secret = "s", .region = {}}};
  qvid::Timestamp now = kClusterBegin;
  std::uint64_t revision = 0;
  std::pair<std::string, std::uint64_t> own;  // its entry in the store
};

// All are told of each lease: what many nodes write would grow with the square of their number.
TEST_F(ManyNodes, WriteTheirLeasesSeldom) {
  begin(kOthers);
  EXPECT_EQ(d.put_every(), 3 * Directory::kPutEvery);
  const std::uint64_t changes = d.changes();
  int puts = 0;
  for (int i = 0; i < 10; ++i) {
    puts += run(seconds(3));
    for (std::size_t node = 0; node < kOthers; ++node) show(name_of(node), ++revision, i);
  }
  EXPECT_NEAR(puts, 11, 2);  // one in 2.25 to 3 s
  EXPECT_EQ(parse_node_entry(own.first)->lease, seconds(9));
  // What others do about a lease need not be looked at.
  EXPECT_EQ(d.changes(), changes);
  run(milliseconds(8800));  // of few nodes they would be dead
  EXPECT_FALSE(dead("n7"));
  run(milliseconds(400));
  EXPECT_TRUE(dead("n7"));
}

TEST_F(ManyNodes, ThoseWhoStayAreNotDeadWhenTheOthersLeave) {
  begin(kOthers);
  run(seconds(4));
  for (std::size_t i = 10; i < kOthers; ++i) {
    d.on_removed(key_text(NodeKey{name_of(i)}), ++revision, now);
  }
  EXPECT_EQ(d.put_every(), Directory::kPutEvery);
  EXPECT_TRUE(d.works(now));  // by what it had promised the others
  run(seconds(4));
  EXPECT_FALSE(dead("n7"));
  EXPECT_EQ(parse_node_entry(own.first)->lease, Directory::kLease);
  run(seconds(2));
  EXPECT_TRUE(dead("n7"));
}

// The watcher begins anew where little comes.
TEST_F(ManyNodes, ASnapshotIsNoWordOfOneThatSaysNothing) {
  begin(3);
  run(seconds(2));
  for (int i = 0; i < 9; ++i) {
    const auto before = revision;
    d.on_snapshot_begin();
    for (std::size_t node = 0; node < 3; ++node) show(name_of(node), node + 1);
    d.on_entry(key_text(NodeKey{"me"}), own.first, own.second, now);
    d.on_snapshot_end(now);
    EXPECT_EQ(revision, before);
    EXPECT_FALSE(dead("n1"));
    run(milliseconds(800));
  }
  run(seconds(1));
  EXPECT_TRUE(dead("n1"));
}

TEST_F(ManyNodes, WhoseKeyIsGoneWritesItWithoutWaitingForItsTurn) {
  begin(kOthers);
  run(seconds(5));
  const std::uint64_t was = own.second;
  d.on_removed(key_text(NodeKey{"me"}), ++revision, now);
  run(milliseconds(1100));
  EXPECT_GT(own.second, was);
}

}  // namespace
}  // namespace qps
