// What other nodes are told of members where many come, and where one is held: the same as those who
// are there.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/pubsub/cluster/spanning_fixture.h"

namespace qps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Spanning, ManyWhoComeAtOnceAreSeenOnAllNodes) {
  constexpr std::size_t kMany = 100;
  const auto ann = join("a", "Ann", {kKnowsMembers});
  const auto old = join("a", "Old", {});
  const auto bob = join("b", "Bob", {kKnowsMembers});
  const std::size_t before = bob->port.control.size();
  std::vector<std::unique_ptr<Party>> herd;
  for (std::size_t i = 0; i < kMany; ++i) {
    herd.push_back(std::make_unique<Party>(broker("b"), now, "member " + std::to_string(i), "den",
                                           std::vector<std::string>{kKnowsMembers}));
  }
  run(seconds(15));
  EXPECT_EQ(known(*ann).size(), kMany + 2);
  EXPECT_EQ(known(*old).size(), kMany + 2);
  EXPECT_EQ(known(*bob).size(), kMany + 2);
  EXPECT_LT(bob->port.control.size() - before, kMany) << "many in one message";
  for (const auto& told : ann->port.control) {
    EXPECT_EQ(told.message.payload.text().find("claim"), std::string::npos) << "of nodes alone";
  }
  // What has changed of who is there, too.
  for (auto& each : herd) each->say(SetAttributes{{{"x", 1}}});
  run(seconds(15));
  EXPECT_EQ(ann->port.last<Member>()->attributes["x"], 1);
  EXPECT_EQ(old->port.last<Member>()->attributes["x"], 1);
}

TEST_F(Spanning, WhoIsHeldOnAnotherNodeTakesNoSeatByTheLoudnessItClaims) {
  const auto dee = join("a", "Dee");
  const auto bob = join("b", "Bob");
  const auto cid = join("b", "Cid");
  for (const auto& each : {&bob, &cid}) (*each)->publish(4, "sound");
  bob->say(SetAttributes{{{"loudness", -10}}});
  cid->say(SetAttributes{{{"loudness", -40}}});
  dee->say(Watch{.viewer = 2,
                 .names = {},
                 .best = "ORDER BY loudness DESC",
                 .seats = 1,
                 .window = milliseconds(100),
                 .track = "sound"});
  const auto is_wanted = [&](const Party& party) {
    run(seconds(1));
    const auto told = party.port.last<Wanted>();
    return told && told->on;
  };
  EXPECT_TRUE(is_wanted(*bob));
  EXPECT_FALSE(is_wanted(*cid));
  Admin hold{.action = AdminAction::kHold,
             .token = {},
             .room = "den",
             .name = "Bob",
             .reason = {},
             .after = {},
             .track = "sound",
             .on = true};
  nodes["a"]->cluster.administer(hold);
  EXPECT_TRUE(is_wanted(*cid));
  EXPECT_FALSE(is_wanted(*bob));
  hold.on = false;
  nodes["a"]->cluster.administer(hold);
  EXPECT_TRUE(is_wanted(*bob));
}

TEST_F(Spanning, ARoomIsCountedHereAndElsewhere) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  const auto cid = join("b", "Cid");
  ann->publish();
  bob->watch({"Ann"});
  Party alone(broker("b"), now, "Dan", "other");
  run(milliseconds(500));
  const auto rooms = broker("b").room_counts(5);
  ASSERT_EQ(rooms.size(), 2U);
  EXPECT_EQ(rooms[0].room, "den");
  EXPECT_EQ(rooms[0].members, 2U);
  EXPECT_EQ(rooms[0].far, 1U);
  EXPECT_EQ(rooms[0].tracks, 0U);
  EXPECT_EQ(rooms[0].seats, 1U);
  EXPECT_EQ(broker("b").room_counts(1).size(), 1U);
  EXPECT_EQ(broker("a").room_counts(5)[0].tracks, 1U);
}

TEST_F(Spanning, WhoIsInIsToldWhenOtherNodesComeOrGo) {
  const auto ann = join("a", "Ann", {kKnowsNodes});
  const auto old = join("a", "Old", {});
  ASSERT_TRUE(ann->port.last<Joined>());
  EXPECT_EQ(ann->port.last<Joined>()->nodes, (Names{"b:7400", "c:7400"}));
  run(seconds(3));
  const auto before = ann->port.count<Nodes>();
  run(seconds(3));
  EXPECT_EQ(ann->port.count<Nodes>(), before);  // nothing has changed
  nodes["c"]->dead = true;
  run(Directory::kLease + seconds(2));
  ASSERT_TRUE(ann->port.last<Nodes>());
  EXPECT_EQ(ann->port.last<Nodes>()->of, Names{"b:7400"});
  EXPECT_EQ(old->port.count<Nodes>(), 0U);
}

}  // namespace
}  // namespace qps
