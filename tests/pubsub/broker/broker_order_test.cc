// Who keeps order in a room: raised hands, tracks that are held, rooms that are locked.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/pubsub/broker/broker_fixture.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

class BrokerOrderTest : public BrokerTest {
 protected:
  struct Guest : Party {
    Guest(BrokerOrderTest& test, const std::string& name)
        : Party(test.broker_, test.now_, name, "den", {kKnowsHands, kKnowsOrder}) {}
  };
  // "root" administers.
  BrokerOrderTest() {
    broker_.set_options({.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
      return Rights{.admin = join.name == "root"};
    }});
  }
  static Admin hold(const std::string& name, const std::string& track, bool on) {
    return {.action = AdminAction::kHold,
            .token = {},
            .room = "den",
            .name = name,
            .reason = {},
            .after = {},
            .track = track,
            .on = on};
  }
  static Admin lock(bool on) {
    return {.action = AdminAction::kLock,
            .token = {},
            .room = "den",
            .name = {},
            .reason = {},
            .after = {},
            .on = on};
  }
  // As somebody was told last.
  static std::optional<Member> seen(const Party& by, const std::string& name) {
    for (auto it = by.port.told.rbegin(); it != by.port.told.rend(); ++it) {
      const auto* member = std::get_if<Member>(&*it);
      if (member != nullptr && member->name == name) return *member;
    }
    return std::nullopt;
  }
};
using Tracks = std::vector<std::string>;

TEST_F(BrokerOrderTest, HandsHaveTheOrderInWhichTheyWereRaised) {
  Guest ann(*this, "Ann"), bob(*this, "Bob"), cid(*this, "Cid");
  Party old(broker_, now_, "old");
  bob.say(RaiseHand{true});
  ann.say(RaiseHand{true});
  ann.say(RaiseHand{true});  // it is up
  old.say(RaiseHand{true});
  EXPECT_EQ(seen(cid, "Bob")->hand, 1);
  EXPECT_EQ(seen(cid, "Ann")->hand, 2);
  EXPECT_EQ(seen(cid, "old")->hand, 3);
  EXPECT_EQ(ann.port.last<Hand>()->number, 2);
  EXPECT_EQ(old.port.count<Hand>(), 0u) << "it does not know of it";
  bob.say(RaiseHand{false});
  EXPECT_EQ(seen(cid, "Bob")->hand, 0);
  bob.say(RaiseHand{true});
  EXPECT_EQ(seen(cid, "Bob")->hand, 4) << "at the end";
  Guest dan(*this, "Dan");
  EXPECT_EQ(seen(dan, "Bob")->hand, 4);
  EXPECT_EQ(seen(dan, "Cid")->hand, 0);
}

TEST_F(BrokerOrderTest, HandsUpAndDownAreMergedAsOtherNews) {
  Guest eve(*this, "Eve"), bob(*this, "Bob");
  const std::size_t before = bob.port.count<Member>();
  for (int turn = 0; turn < 100; ++turn) {
    for (int i = 0; i < 10; ++i) eve.say(RaiseHand{i % 2 == 0});
    broker_.poll(now_ += 100ms);
  }
  EXPECT_LE(bob.port.count<Member>() - before, 160u);  // of 1000 in ten seconds
  EXPECT_FALSE(eve.port.closed);
}

TEST_F(BrokerOrderTest, WhatIsHeldGoesToNobody) {
  Guest root(*this, "root"), bob(*this, "Bob"), cid(*this, "Cid");
  EXPECT_TRUE(root.port.last<Joined>()->admin);
  EXPECT_FALSE(bob.port.last<Joined>()->admin);
  bob.publish(2);
  bob.publish(4, "sound");
  cid.watch({"Bob"});
  const auto picture = cid.seat_stream();
  cid.watch({"Bob"}, 100ms, "sound", 2);
  const auto sound = cid.seat_stream();
  const auto send = [&](std::int64_t item) {
    bob.item(item, 0, 100, 2);
    bob.item(item, 0, 100, 4);
  };
  send(0);
  root.say(hold("Bob", "sound", true));
  EXPECT_EQ(root.port.last<Answer>()->error, "");
  EXPECT_EQ(bob.port.last<Held>()->track, "sound");
  EXPECT_TRUE(bob.port.last<Held>()->on);
  EXPECT_EQ(bob.port.last<Wanted>()->track, "sound");
  EXPECT_FALSE(bob.port.last<Wanted>()->on) << "an older client sends nothing, either";
  EXPECT_EQ(seen(cid, "Bob")->held, Tracks{"sound"});
  send(10);
  EXPECT_EQ(cid.got(sound).size(), 1u);
  EXPECT_EQ(cid.got(picture).size(), 2u);
  broker_.poll(now_ += 200ms);
  EXPECT_FALSE(bob.port.last<Wanted>()->on) << "whatever seats want";
  root.say(hold("Bob", "sound", false));
  EXPECT_TRUE(bob.port.last<Wanted>()->on);
  EXPECT_FALSE(bob.port.last<Held>()->on);
  EXPECT_EQ(seen(cid, "Bob")->held, Tracks{});
  send(20);
  EXPECT_EQ(cid.got(sound).size(), 2u);
}

TEST_F(BrokerOrderTest, WhoIsHeldTakesNoSeatByTheLoudnessItClaims) {
  Guest root(*this, "root"), bob(*this, "Bob"), cid(*this, "Cid"), dee(*this, "Dee");
  const auto is_wanted = [&](Guest& guest) {
    for (int i = 0; i < 5; ++i) broker_.poll(now_ += 200ms);
    const auto told = guest.port.last<Wanted>();
    return told && told->on;
  };
  bob.publish(4, "sound");
  cid.publish(4, "sound");
  bob.say(SetAttributes{{{"loudness", -10}}});
  cid.say(SetAttributes{{{"loudness", -40}}});
  dee.say(Watch{.viewer = 2,
                .names = {},
                .best = "ORDER BY loudness DESC",
                .seats = 1,
                .window = 100ms,
                .track = "sound"});
  EXPECT_TRUE(is_wanted(bob));
  EXPECT_FALSE(is_wanted(cid));
  root.say(hold("Bob", "sound", true));
  EXPECT_TRUE(is_wanted(cid));
  bob.say(SetAttributes{{{"loudness", -5}}});  // shouting does not help
  EXPECT_TRUE(is_wanted(cid));
  bob.publish(4, "sound");  // nor does beginning anew
  EXPECT_TRUE(is_wanted(cid));
  root.say(hold("Bob", "sound", false));
  EXPECT_TRUE(is_wanted(bob));
}

TEST_F(BrokerOrderTest, WhoComesBackIsStillHeld) {
  Guest root(*this, "root");
  Party bob(broker_, now_, "Bob");
  root.say(hold("Bob", "sound", true));
  EXPECT_EQ(bob.port.count<Held>(), 0u) << "it does not know of it";
  bob.leave("gone");
  root.say(hold("Eve", "sound", true));
  EXPECT_EQ(root.port.last<Answer>()->error, "there is no 'Eve' in this room");
  Guest again(*this, "Bob");
  EXPECT_TRUE(again.port.last<Held>()->on);
  EXPECT_EQ(seen(root, "Bob")->held, Tracks{"sound"});
  again.leave("gone");
  root.say(hold("Bob", "sound", false));
  EXPECT_EQ(root.port.last<Answer>()->error, "");
  EXPECT_EQ(Guest(*this, "Bob").port.count<Held>(), 0u);
}

TEST_F(BrokerOrderTest, OnlyWhoAdministersHoldsAndLocks) {
  Guest root(*this, "root"), bob(*this, "Bob"), eve(*this, "Eve");
  eve.say(hold("Bob", "sound", true));
  EXPECT_EQ(eve.port.last<JoinRefused>()->reason, "your token gives no right to administer");
  eve.say(lock(true));
  EXPECT_EQ(bob.port.count<Held>(), 0u);
  EXPECT_EQ(bob.port.count<Locked>(), 0u);
}

TEST_F(BrokerOrderTest, ALockedRoomTakesThoseWhoWereIn) {
  Guest root(*this, "root"), bob(*this, "Bob"), cid(*this, "Cid");
  root.say(lock(true));
  EXPECT_TRUE(bob.port.last<Locked>()->on);
  Guest eve(*this, "Eve");
  EXPECT_EQ(eve.port.last<JoinRefused>()->reason,
            "the room 'den' is locked: ask who runs it to open it");
  EXPECT_FALSE(eve.port.last<Joined>());
  // A connection that was lost.
  bob.leave("gone");
  Guest bob_again(*this, "Bob");
  EXPECT_TRUE(bob_again.port.last<Joined>());
  EXPECT_TRUE(bob_again.port.last<Locked>()->on) << "it is told";
  // Removed is removed.
  root.say(Admin{AdminAction::kKick, "", "den", "Cid", "", ""});
  EXPECT_TRUE(cid.port.last<Removed>());
  EXPECT_TRUE(Guest(*this, "Cid").port.last<JoinRefused>());
  root.leave("gone");
  EXPECT_TRUE(Guest(*this, "root").port.last<Joined>()) << "who could open it";
  Guest root_again(*this, "root");
  root_again.say(lock(false));
  EXPECT_FALSE(bob_again.port.last<Locked>()->on);
  eve.say(Join{.room = "den", .name = "Eve", .token = {}});
  EXPECT_TRUE(eve.port.last<Joined>());
}

TEST_F(BrokerOrderTest, ALockGoesWithTheRoom) {
  {
    Guest root(*this, "root");
    root.say(lock(true));
  }
  EXPECT_TRUE(Guest(*this, "Eve").port.last<Joined>());
}

}  // namespace
}  // namespace qps
