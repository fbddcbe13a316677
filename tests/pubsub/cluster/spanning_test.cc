// Who is where in a room that spans nodes, and what crosses between them.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/pubsub/cluster/spanning_fixture.h"

namespace qps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(Spanning, MembersOnAllNodesSeeEachOther) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  const auto cid = join("c", "Cid");
  run(seconds(1));
  EXPECT_EQ(known(*ann), (Names{"Bob", "Cid"}));
  EXPECT_EQ(known(*bob), (Names{"Ann", "Cid"}));
  EXPECT_EQ(known(*cid), (Names{"Ann", "Bob"}));
  bob->leave("it goes");
  run(milliseconds(500));
  EXPECT_EQ(known(*ann), (Names{"Cid"}));
  EXPECT_EQ(store.values().size(), 5U);  // three nodes, two names
}

TEST_F(Spanning, ANameIsRefusedThatSomebodyHasOnAnotherNode) {
  const auto ann = join("a", "Ann");
  const auto other = join("b", "Ann");
  ASSERT_TRUE(other->port.last<JoinRefused>());
  EXPECT_NE(other->port.last<JoinRefused>()->reason.find("is taken"), std::string::npos);
  EXPECT_FALSE(other->port.last<Joined>());
}

TEST_F(Spanning, AFragmentCrossesOnceHoweverManyWatch) {
  const auto ann = join("a", "Ann");
  ann->publish();
  std::vector<std::unique_ptr<Party>> watchers;
  for (int i = 0; i < 5; ++i) watchers.push_back(join("b", "b" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) watchers.push_back(join("c", "c" + std::to_string(i)));
  for (auto& each : watchers) each->watch({"Ann"});
  run(milliseconds(500));
  ASSERT_TRUE(ann->port.last<Wanted>() && ann->port.last<Wanted>()->on);
  for (int item = 0; item < 30; ++item) {
    ann->item(item, 0, 20'000);  // three fragments
    ann->item(item, 1, 100);
    run(milliseconds(50));
  }
  EXPECT_EQ((crossed[{"b", "a"}]), 120);
  EXPECT_EQ((crossed[{"c", "a"}]), 120);
  EXPECT_EQ((crossed[{"b", "c"}]), 0);
  for (auto& each : watchers) {
    ASSERT_TRUE(each->port.last<Seat>());
    EXPECT_EQ(each->port.last<Seat>()->about, "numbers");
    EXPECT_EQ(each->got(each->seat_stream()).size(), 60U);
  }
}

TEST_F(Spanning, FlowStopsAtTheSourceWhenTheLastOneBehindALinkDoesNotWatch) {
  const auto ann = join("a", "Ann");
  ann->publish();
  const auto bob = join("b", "Bob");
  bob->watch({"Ann"});
  run(milliseconds(300));
  EXPECT_TRUE(ann->port.last<Wanted>()->on);
  bob->say(Unwatch{1});
  run(milliseconds(300));
  EXPECT_FALSE(ann->port.last<Wanted>()->on);
  bob->watch({"Ann"});
  run(milliseconds(300));
  EXPECT_TRUE(ann->port.last<Wanted>()->on);
  ann->item(0);
  run(milliseconds(100));
  EXPECT_EQ(bob->got(bob->seat_stream()).size(), 1U);
}

TEST_F(Spanning, WhoComesLaterGetsABeginning) {
  const auto ann = join("a", "Ann");
  ann->publish();
  const auto bob = join("b", "Bob");
  bob->watch({"Ann"});
  run(milliseconds(300));
  ann->item(0);
  ann->item(1);
  run(seconds(1));
  const auto before = ann->port.count<Begin>();
  const auto bea = join("b", "Bea");
  bea->watch({"Ann"});
  run(seconds(1));
  EXPECT_GT(ann->port.count<Begin>(), before);
  ann->item(10);
  run(milliseconds(100));
  EXPECT_EQ(bea->got(bea->seat_stream()).size(), 1U);
}

TEST_F(Spanning, ChatGoesToAllAndToOneOnAnotherNode) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  const auto cid = join("c", "Cid");
  run(milliseconds(500));
  ann->say(Say{.text = "to all"});
  bob->say(Say{.text = "to Cid alone", .to = "Cid"});
  run(milliseconds(300));
  ASSERT_TRUE(bob->port.last<Said>() && cid->port.last<Said>() && ann->port.last<Said>());
  EXPECT_EQ(ann->port.last<Said>()->text, "to all");
  EXPECT_EQ(cid->port.last<Said>()->text, "to Cid alone");
  EXPECT_EQ(cid->port.count<Said>(), 2U);
  EXPECT_EQ(bob->port.count<Said>(), 2U);
  EXPECT_EQ(ann->port.count<Said>(), 1U);
  // Who comes later is told what was said to all, once.
  const auto dan = join("b", "Dan");
  EXPECT_EQ(dan->port.count<Said>(), 1U);
}

TEST_F(Spanning, AttributesAndHandsAreSeenEverywhere) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  run(milliseconds(500));
  ann->say(SetAttributes{{{"pinned", true}}});
  ann->say(RaiseHand{true});
  run(milliseconds(300));
  ASSERT_TRUE(bob->port.last<Member>());
  EXPECT_EQ(bob->port.last<Member>()->attributes["pinned"], true);
  EXPECT_EQ(bob->port.last<Member>()->hand, 1);
  EXPECT_EQ(bob->port.last<Member>()->self, "");  // told to nodes alone
  EXPECT_TRUE(bob->port.last<Member>()->abouts.empty());
}

TEST_F(Spanning, WhenALinkIsCutEachSideGoesOnAndHealsByItself) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  run(milliseconds(500));
  severed = {{"a", "b"}, {"b", "a"}};
  cut("a", "b");
  cut("b", "a");
  run(milliseconds(500));
  EXPECT_EQ(known(*ann), Names());
  EXPECT_EQ(known(*bob), Names());
  severed.clear();
  run(seconds(6));
  EXPECT_EQ(known(*ann), (Names{"Bob"}));
  EXPECT_EQ(known(*bob), (Names{"Ann"}));
}

TEST_F(Spanning, ADeadNodesMembersAreGoneAndTheirNamesFree) {
  const auto ann = join("a", "Ann");
  auto bob = join("b", "Bob");
  run(milliseconds(500));
  nodes["b"]->dead = true;
  cut("a", "b");
  run(milliseconds(200));
  EXPECT_EQ(known(*ann), Names());
  run(Directory::kLease + seconds(1));
  const auto again = join("a", "Bob");
  EXPECT_TRUE(again->port.last<Joined>());
  EXPECT_EQ(known(*ann), (Names{"Bob"}));
}

TEST_F(Spanning, AStrangerIsNoNode) {
  Party eve(broker("a"), now, "Eve", "other");
  LinkPort port;
  auto* const client = broker("a").connect(port, "a stranger");
  const std::string text = serialise(ToBroker(Link{.node = "b", .token = "a guess"}));
  broker("a").on_message(client,
                         {.stream = paceline::kFirstStream,
                          .importance = {},
                          .position = {},
                          .payload = Payload::copy_of(std::string_view(text))},
                         now);
  EXPECT_TRUE(port.closed);
  broker("a").disconnect(client, "closed", now);
}

TEST_F(Spanning, WhatAnAdministratorDoesHoldsOnTheMembersNode) {
  const auto ann = join("a", "Ann");
  const auto bob = join("b", "Bob");
  run(milliseconds(500));
  nodes["a"]->cluster.administer({.action = AdminAction::kKick,
                                  .token = {},
                                  .room = "den",
                                  .name = "Bob",
                                  .reason = "too loud",
                                  .after = {}});
  run(milliseconds(300));
  ASSERT_TRUE(bob->port.last<Removed>());
  EXPECT_EQ(known(*ann), Names());
}

}  // namespace
}  // namespace qps
