// Who moves from one node to another is seen, and sees, all the time.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/pubsub/cluster/spanning_fixture.h"

namespace qps {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SpanningMove : public Spanning {
 protected:
  // Somebody whose program says who it is, as all do.
  std::unique_ptr<Party> come(const std::string& node, const std::string& name,
                              const std::string& self) {
    auto made = std::make_unique<Party>(broker(node), now);
    made->say(Join{.room = "den",
                   .name = name,
                   .token = {},
                   .knows = {kKnowsChat, kKnowsHands, kKnowsOrder},
                   .self = self});
    run(milliseconds(400));
    return made;
  }
  static std::size_t left(const Party& party) { return party.port.count<Left>(); }
  // Items that came to it, of all its seats.
  static std::size_t items(const Party& party) { return party.port.sent.size(); }
  static bool wanted(const Party& party) {
    return party.port.last<Wanted>() && party.port.last<Wanted>()->on;
  }

  // Of the same program: at the node that hands it over, and at the other one.
  void move(const std::string& to) {
    broker("a").drain("replaced");
    run(seconds(1));
    ASSERT_TRUE(ann->port.last<Moving>());
    ann_there = come(to, "Ann", "program of Ann");
    ASSERT_TRUE(ann_there->port.last<Joined>());
  }

  std::unique_ptr<Party> bob = come("b", "Bob", "program of Bob");
  std::unique_ptr<Party> cid = come("c", "Cid", "program of Cid");
  std::unique_ptr<Party> ann = come("a", "Ann", "program of Ann");
  std::unique_ptr<Party> ann_there;
};

TEST_F(SpanningMove, IsSeenAllTheTime) {
  ann->publish();
  bob->watch({"Ann"});
  cid->watch({"Ann"});
  run(milliseconds(500));
  ann->item(0);
  run(milliseconds(100));
  ASSERT_EQ(items(*bob), 1U);
  ASSERT_EQ(items(*cid), 1U);
  move("b");
  // What it sends at the one goes on to those at the other, and elsewhere, ...
  ann->item(1);
  run(milliseconds(100));
  EXPECT_EQ(items(*bob), 2U);
  EXPECT_EQ(items(*cid), 2U);
  // ... until it has begun there; nobody was told that it had gone.
  ann_there->publish();
  run(milliseconds(200));
  EXPECT_TRUE(wanted(*ann_there));
  EXPECT_TRUE(ann_there->port.last<Begin>());
  ann->item(2);
  run(milliseconds(100));
  EXPECT_EQ(items(*bob), 3U);
  EXPECT_EQ(items(*cid), 3U);
  for (const int item : {10, 11}) {  // the first of them is a beginning
    ann->item(item);
    ann_there->item(item);
  }
  run(milliseconds(200));
  EXPECT_FALSE(wanted(*ann));
  EXPECT_TRUE(wanted(*ann_there));
  for (const Party* watcher : {bob.get(), cid.get()}) {
    EXPECT_EQ(watcher->port.last<Seat>()->name, "Ann");
    EXPECT_EQ(watcher->got(watcher->seat_stream()), (Got{{0, 0}, {1, 0}}));  // of the new seat
    EXPECT_EQ(watcher->port.count<Seat>(), 2U);
    EXPECT_EQ(left(*watcher), 0U);
  }
  ann->leave("it has moved");
  run(milliseconds(300));
  for (const Party* watcher : {bob.get(), cid.get()}) {
    EXPECT_EQ(known(*watcher).size(), 2U);
    EXPECT_EQ(left(*watcher), 0U);
  }
}

TEST_F(SpanningMove, SeesWhatItSawUntilItLeaves) {
  bob->publish();
  run(milliseconds(200));
  ann->watch({"Bob"});
  run(milliseconds(300));
  bob->item(0);
  run(milliseconds(100));
  ASSERT_EQ(items(*ann), 1U);
  move("c");
  bob->item(1);
  run(milliseconds(100));
  EXPECT_EQ(items(*ann), 2U);
  ann_there->watch({"Bob"});
  run(milliseconds(200));
  bob->item(10);
  run(milliseconds(100));
  EXPECT_EQ(items(*ann), 3U);
  EXPECT_EQ(items(*ann_there), 1U);
  ann->leave("it has moved");
  run(milliseconds(300));
  bob->item(11);
  run(milliseconds(100));
  EXPECT_EQ(items(*ann_there), 2U);
}

// All that it had ends there, however little its program does about it.
TEST_F(SpanningMove, IsPutOutInTimeWhereItWas) {
  ann->publish();
  bob->watch({"Ann"});
  run(milliseconds(300));
  move("c");
  run(Broker::kMoving);
  ASSERT_TRUE(ann->port.last<Removed>());
  EXPECT_EQ(left(*bob), 0U);
  EXPECT_EQ(bob->port.last<Seat>()->name, "");  // it shows nothing where it is now
  EXPECT_TRUE(broker("a").room_counts(1).empty() || broker("a").room_counts(1)[0].members == 0);
}

TEST_F(SpanningMove, WhatItSaysOfItselfWhereItWasDoesNotCount) {
  move("b");
  ann->say(SetAttributes{{{"muted", true}}});
  ann->publish(4, "share");
  run(milliseconds(500));
  ASSERT_TRUE(cid->port.last<Member>());
  EXPECT_EQ(cid->port.last<Member>()->name, "Ann");
  EXPECT_EQ(cid->port.last<Member>()->tracks, std::vector<std::string>{});
  EXPECT_FALSE(cid->port.last<Member>()->attributes.contains("muted"));
}

// The node to which it moved dies at once, and it is let in again where it was.
TEST_F(SpanningMove, MayComeBack) {
  broker("a").hand_over("displaced");
  run(seconds(1));
  ann_there = come("b", "Ann", "program of Ann");
  nodes["b"]->dead = true;
  cut("a", "b");
  cut("b", "a");
  cut("c", "b");
  cut("b", "c");
  ann_there->leave("its node is dead");
  const auto again = come("a", "Ann", "program of Ann");
  run(seconds(1));
  EXPECT_TRUE(again->port.last<Joined>());
  // What the first session is told, and its end, are none of the second one's.
  run(seconds(3));
  EXPECT_TRUE(ann->port.last<Removed>());
  EXPECT_FALSE(again->port.last<Removed>());
  EXPECT_EQ(known(*cid), Names{"Ann"});
  const auto other = come("c", "Ann", "another program");
  EXPECT_TRUE(other->port.last<JoinRefused>());
}

// By one whose requests wait, for there are too many: they are done at a poll, which goes through all clients.
TEST_F(SpanningMove, IsKickedByOneWhoAsksTooMuch) {
  ann->publish();
  cid->watch({"Ann"});
  run(milliseconds(300));
  move("b");
  FakePort port;
  Broker::Client* const admin = broker("c").connect(port, "an administrator", true);
  const auto ask = [&](const Admin& what) {
    broker("c").on_message(admin,
                           {.stream = paceline::kFirstStream,
                            .importance = {},
                            .position = {},
                            .payload = Payload::copy_of(std::string_view(serialise(what)))},
                           now);
  };
  const Admin rooms{.action = AdminAction::kRooms,
                    .token = {},
                    .room = {},
                    .name = {},
                    .reason = {},
                    .after = {}};
  for (int i = 0; i < 250; ++i) ask(rooms);
  Admin kick = rooms;
  kick.action = AdminAction::kKick;
  kick.room = "den";
  kick.name = "Ann";
  ask(kick);
  EXPECT_EQ(known(*cid), (Names{"Ann", "Bob"}));
  run(seconds(2));
  EXPECT_EQ(known(*cid), Names{"Bob"});
  EXPECT_TRUE(ann_there->port.last<Removed>());
  broker("c").disconnect(admin, "done", now);
}

// The name goes to nobody else on that occasion.
TEST_F(SpanningMove, AnotherOneMayNotTakeTheName) {
  broker("a").drain("replaced");
  run(seconds(1));
  const auto other = come("b", "Ann", "another program");
  EXPECT_TRUE(other->port.last<JoinRefused>());
  EXPECT_FALSE(ann->port.last<Removed>());
}

TEST_F(SpanningMove, WhoIsKickedIsSeenNowhereAnyMore) {
  ann->publish();
  cid->watch({"Ann"});
  run(milliseconds(300));
  move("b");
  for (const char* node : {"a", "b", "c"}) broker(node).kick("den", "Ann", "", now);
  run(milliseconds(200));
  ann->item(1);
  run(milliseconds(100));
  EXPECT_EQ(items(*cid), 0U);
  EXPECT_TRUE(ann->port.last<Removed>());
  EXPECT_TRUE(ann_there->port.last<Removed>());
  EXPECT_EQ(known(*cid), Names{"Bob"});
}

}  // namespace
}  // namespace qps
