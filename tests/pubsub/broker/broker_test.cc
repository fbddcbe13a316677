// Shows rooms, lists and refusals; what viewers get and what publishers are asked for; switching,
// slow viewers, and who vanishes.
#include "pubsub/broker/broker.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/pubsub/broker_party.h"
#include "transport/rate/receiver_rate.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using paceline::Outcome;
using paceline::StreamId;

class BrokerTest : public ::testing::Test {
 protected:
  Timestamp now_ = kBegin;
  Broker broker_;
};

TEST_F(BrokerTest, WhoJoinsIsToldOfAllAndAllOfHim) {
  Party ann(broker_, now_, "Ann");
  EXPECT_EQ(ann.port.last<Joined>()->room, "den");
  EXPECT_EQ(ann.port.count<Listed>(), 1u);
  ann.publish();
  ann.say(SetAttributes{{{"pinned", true}, {"x", 3}}});
  Party bob(broker_, now_, "Bob");
  ASSERT_EQ(bob.port.count<Member>(), 1u);
  EXPECT_EQ(bob.port.last<Member>()->name, "Ann");
  EXPECT_TRUE(bob.port.last<Member>()->publishes());
  EXPECT_EQ(bob.port.last<Member>()->attributes, nlohmann::json({{"pinned", true}, {"x", 3}}));
  EXPECT_EQ(ann.port.last<Member>()->name, "Bob");
  ann.say(SetAttributes{{{"pinned", nullptr}}});
  ann.say(SetAttributes{{{"y", 1}}});
  const auto told = bob.port.count<Member>();
  broker_.poll(now_);
  EXPECT_EQ(bob.port.last<Member>()->attributes, nlohmann::json({{"x", 3}, {"y", 1}}));
  EXPECT_EQ(bob.port.count<Member>(), told + 1);
  Party elsewhere(broker_, now_, "Ann", "attic");  // names are of a room
  EXPECT_TRUE(elsewhere.port.last<Joined>());
  EXPECT_EQ(bob.port.count<Member>(), told + 1);
  bob.leave("gone home");
  EXPECT_EQ(ann.port.last<Left>()->name, "Bob");
  EXPECT_EQ(ann.port.last<Left>()->reason, "gone home");
}

TEST_F(BrokerTest, ANameThatIsTakenIsRefusedAndMayBeMended) {
  Party ann(broker_, now_, "Ann");
  Party other(broker_, now_, "Ann");
  ASSERT_TRUE(other.port.last<JoinRefused>());
  EXPECT_NE(other.port.last<JoinRefused>()->reason.find("taken"), std::string::npos);
  EXPECT_FALSE(other.port.closed);
  other.say(Join{.room = "den", .name = "Anna", .token = {}});
  EXPECT_TRUE(other.port.last<Joined>());
  EXPECT_EQ(broker_.stats().refused, 1);
}

TEST_F(BrokerTest, RightsHold) {
  BrokerOptions options;
  options.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
    if (join.token != "ok") return Error{"the token is not valid"};
    return Rights{.publish = false, .subscribe = true};
  };
  Broker broker(options);
  Party ann(broker, now_, "Ann");
  EXPECT_EQ(ann.port.last<JoinRefused>()->reason, "the token is not valid");
  ann.say(Join{.room = "den", .name = "Ann", .token = "ok"});
  EXPECT_TRUE(ann.port.last<Joined>());
  ann.publish();
  EXPECT_EQ(ann.port.last<Removed>()->reason, "you may not publish here");
  EXPECT_EQ(broker.stats().wrong_tokens, 1);
  EXPECT_EQ(broker.stats().refused, 0);
}

TEST_F(BrokerTest, FlowsOnlyWhileSomebodyWatches) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  EXPECT_EQ(ann.port.count<Wanted>(), 0u);
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  EXPECT_TRUE(ann.port.last<Wanted>()->on);
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  EXPECT_EQ(bob.port.last<Seat>()->about, "numbers");
  bob.say(PauseViewer{1});
  EXPECT_FALSE(ann.port.last<Wanted>()->on);
  bob.say(ResumeViewer{1});
  EXPECT_TRUE(ann.port.last<Wanted>()->on);
  bob.leave("killed");
  EXPECT_FALSE(ann.port.last<Wanted>()->on);
}

TEST_F(BrokerTest, AViewerBeginsAtABeginningAndCountsForItself) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  for (int n = 7; n < 12; ++n) {
    ann.item(n, 0);
    ann.item(n, 1);
  }
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  Party cid(broker_, now_, "Cid");
  cid.watch({"Ann"});
  for (int n = 12; n < 21; ++n) ann.item(n, 0);
  EXPECT_EQ(cid.got(cid.seat_stream()), (Got{{0, 0}}));
  EXPECT_EQ(bob.got(bob.seat_stream()).size(), 4u + 9u);
}

TEST_F(BrokerTest, FragmentsGoOnAsTheyCome) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  const auto fragments = to_fragments(envelope_of(0, 0), qvid::PayloadBuilder(20'000).take());
  ASSERT_EQ(fragments.size(), 3u);
  ann.arrive({.part = {.item = 0, .part = 0}, .fragment = 0}, fragments[0]);
  ASSERT_EQ(bob.port.sent.size(), 1u);
  // The bytes are shared, not copied.
  EXPECT_EQ(bob.port.sent[0].message.payload.data(), fragments[0].data());
  ann.arrive({.part = {.item = 0, .part = 0}, .fragment = 1}, fragments[1]);
  EXPECT_EQ(bob.port.sent.size(), 2u);
}

TEST_F(BrokerTest, AFragmentCountsOnceAndNoMoreThanThePartHas) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  const auto fragments = to_fragments(envelope_of(0, 0), qvid::PayloadBuilder(20'000).take());
  const FragmentId second{.part = {.item = 0, .part = 0}, .fragment = 1};
  ann.arrive({.part = second.part, .fragment = 0}, fragments[0]);
  ann.arrive(second, fragments[1]);
  ann.arrive(second, fragments[1]);
  ASSERT_EQ(bob.port.sent.size(), 2u);
  bob.say(Unwatch{1});
  EXPECT_EQ(bob.port.last<Seat>()->name, "");
  bob.end_all();  // of a seat that is gone
  bob.watch({"Ann"});
  EXPECT_FALSE(ann.port.closed);
  ann.arrive({.part = second.part, .fragment = 3}, fragments[1]);
  EXPECT_TRUE(ann.port.closed);
  EXPECT_FALSE(bob.port.closed);
}

TEST_F(BrokerTest, WatchingWhoIsNotThereWaitsForHim) {
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann", "Cid"});
  EXPECT_EQ(bob.port.count<Seat>(), 0u);
  Party ann(broker_, now_, "Ann");
  EXPECT_EQ(bob.port.count<Seat>(), 0u);
  ann.publish();
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  EXPECT_EQ(bob.port.last<Seat>()->seat, 0);
  ann.leave("killed");
  EXPECT_EQ(bob.port.last<Seat>()->name, "");
}

TEST_F(BrokerTest, ASwitchComesWithTheBeginningOfTheNext) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  ann.publish();
  cid.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  ann.item(0);
  const StreamId first = bob.seat_stream();
  bob.watch({"Cid"});
  EXPECT_TRUE(cid.port.last<Wanted>()->on);
  EXPECT_EQ(cid.port.count<Begin>(), 1u);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  cid.item(5);
  ann.item(1);  // goes on until then
  EXPECT_EQ(bob.got(first), (Got{{0, 0}, {1, 0}}));
  cid.item(10);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_EQ(bob.port.closed_streams, std::vector{first});
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}}));
  EXPECT_FALSE(ann.port.last<Wanted>()->on);
  ann.item(2);
  EXPECT_EQ(bob.got(first).size(), 2u);
}

TEST_F(BrokerTest, TheBestTakeTheSeatsAndSwitchWithoutAPause) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  ann.publish();
  cid.publish();
  ann.say(SetAttributes{{{"loudness", -20}}});
  cid.say(SetAttributes{{{"loudness", -50}}});
  Party bob(broker_, now_, "Bob");
  bob.publish();
  bob.say(SetAttributes{{{"loudness", 0}}});  // who is not shown to himself
  broker_.poll(now_);
  const auto best = [&](const std::string& criteria) {
    bob.say(Watch{.viewer = 1, .names = {}, .best = criteria, .seats = 1, .window = 100ms});
  };
  best("ORDER BY loudness DESC");
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  ann.item(0);
  now_ += 1500ms;
  cid.say(SetAttributes{{{"loudness", -5}}});
  broker_.poll(now_);
  EXPECT_TRUE(cid.port.last<Wanted>()->on);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");  // until the next begins
  cid.item(0);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  // Not back at once.
  now_ += 300ms;
  ann.say(SetAttributes{{{"loudness", -1}}});
  broker_.poll(now_);
  ann.item(10);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  now_ += 1s;
  broker_.poll(now_);
  ann.item(20);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  // Changed while it runs; what is refused leaves the old one.
  now_ += 2s;
  best("ORDER BY name DESC");
  cid.item(30);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_EQ(bob.port.count<NotWatched>(), 0u);
  for (const char* bad : {"ORDER BY loudnes", "LIMIT 1; DROP TABLE publishers",
                          "WHERE (SELECT count(*) FROM sqlite_master)"}) {
    now_ += 1s;
    const auto before = bob.port.count<NotWatched>();
    best(bad);
    EXPECT_EQ(bob.port.count<NotWatched>(), before + 1) << bad;
  }
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_FALSE(bob.port.closed);
  cid.say(Unpublish{});
  broker_.poll(now_ + 1s);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
}

TEST_F(BrokerTest, ASlowViewerSkipsAndGoesOnAtABeginning) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party slow(broker_, now_, "Slow");
  Party fast(broker_, now_, "Fast");
  slow.watch({"Ann"});
  fast.watch({"Ann"});
  const auto begins = ann.port.count<Begin>();
  for (int n = 0; n < 3; ++n) {
    ann.item(n, 0);
    ann.item(n, 1);
  }
  // Item 1's second part is given up: that of 2, on its way, goes with it.
  const auto sent = slow.port.sent;
  slow.end(sent[3], Outcome::kCancelled);
  EXPECT_EQ(slow.port.cancelled, std::vector{sent[5].id});
  slow.end(sent[5], Outcome::kCancelled);
  now_ += 1s;
  ann.item(3, 0);
  ann.item(3, 1);
  EXPECT_EQ(slow.got(slow.seat_stream()).back(), (std::pair<std::int64_t, int>{3, 0}));
  EXPECT_EQ(fast.got(fast.seat_stream()).back(), (std::pair<std::int64_t, int>{3, 1}));
  EXPECT_EQ(ann.port.count<Begin>(), begins);
  // The vital part too: nothing can go on without a beginning, which is asked for, once.
  slow.end(slow.port.sent.back(), Outcome::kCancelled);
  for (int n = 4; n < 10; ++n) ann.item(n, 0);
  EXPECT_EQ(ann.port.count<Begin>(), begins + 1);
  EXPECT_EQ(slow.got(slow.seat_stream()).back(), (std::pair<std::int64_t, int>{3, 0}));
  ann.item(10, 0);
  EXPECT_EQ(slow.got(slow.seat_stream()).back(), (std::pair<std::int64_t, int>{10, 0}));
  EXPECT_GT(broker_.stats().fragments_lost, 0);
}

// An encoder with one receiver is told what that has lost, if it asked for that, and a beginning is
// asked for only where it does not mend what is broken.
TEST_F(BrokerTest, LossesOfAnOnlyViewerAreToldToWhoAsksForThem) {
  Party ann(broker_, now_, "Ann");
  ann.say(Publish{.stream = 2, .about = "numbers", .track = {}, .losses = true});
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  EXPECT_TRUE(ann.port.last<Wanted>()->losses);
  const auto begins = ann.port.count<Begin>();
  now_ += 1s;
  for (int n = 0; n < 3; ++n) {
    ann.item(n, 0);
    ann.item(n, 1);
  }
  const auto sent = bob.port.sent;
  bob.end(sent[3], Outcome::kCancelled);
  bob.end(sent[5], Outcome::kCancelled);  // with it: the publisher knows
  ASSERT_EQ(ann.port.count<Lost>(), 1u);
  EXPECT_EQ(ann.port.last<Lost>()->id, (PartId{1, 1}));
  bob.end(sent[4], Outcome::kCancelled);
  EXPECT_EQ(ann.port.last<Lost>()->id, (PartId{2, 0}));
  ann.item(3, 0);
  EXPECT_EQ(ann.port.count<Begin>(), begins);
  // It refers to something older, and all is well.
  Envelope mended = envelope_of(4, 0);
  mended.depends_on = {{.items_back = 3, .part = 0}};
  ann.arrive({.part = {.item = 4, .part = 0}, .fragment = 0},
             to_fragments(mended, qvid::PayloadBuilder(100).take())[0]);
  EXPECT_EQ(bob.got(bob.seat_stream()).back(), (std::pair<std::int64_t, int>{4, 0}));
  now_ += 1s;
  broker_.poll(now_);
  EXPECT_EQ(ann.port.count<Begin>(), begins);
  // It does not.
  bob.end(bob.port.sent.back(), Outcome::kCancelled);
  ann.item(5, 0);
  now_ += Broker::kMending - 1ms;
  ann.item(6, 0);
  EXPECT_EQ(ann.port.count<Begin>(), begins);
  now_ += 2ms;
  ann.item(7, 0);
  EXPECT_EQ(ann.port.count<Begin>(), begins + 1);
  // With two it is no longer one receiver's encoder.
  const auto lost = ann.port.count<Lost>();
  Party cid(broker_, now_, "Cid");
  cid.watch({"Ann"});
  EXPECT_TRUE(ann.port.last<Wanted>()->on);
  EXPECT_FALSE(ann.port.last<Wanted>()->losses);
  ann.item(10, 0);
  bob.end(bob.port.sent.back(), Outcome::kCancelled);
  EXPECT_EQ(ann.port.count<Lost>(), lost);
  cid.leave("gone");
  EXPECT_TRUE(ann.port.last<Wanted>()->losses);
}

TEST_F(BrokerTest, WhoDoesNotAskForLossesIsNotToldOfThem) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  EXPECT_FALSE(ann.port.last<Wanted>()->losses);
  ann.item(0);
  bob.end_all(Outcome::kCancelled);
  EXPECT_EQ(ann.port.count<Lost>(), 0u);
}

TEST_F(BrokerTest, DeadlinesFollowTheSourcesClockAndTheWindow) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 300ms);
  ann.item(0);
  EXPECT_EQ(bob.port.sent.back().message.deadline, kBegin + 300ms + 900ms);
  now_ += 150ms;  // due 100 ms after the first: 50 ms held up on its way
  ann.item(1);
  EXPECT_EQ(bob.port.sent.back().message.deadline, kBegin + 100ms + 300ms + 800ms);
}

TEST_F(BrokerTest, PublishersLearnWhatTheirViewersCanTake) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party slow(broker_, now_, "Slow");
  Party fast(broker_, now_, "Fast");
  slow.watch({"Ann"});
  fast.watch({"Ann"});
  broker_.poll(now_);
  for (int round = 0; round < 2; ++round) {
    for (int n = 10 * round; n < 10 * round + 10; ++n) {
      ann.item(n, 0, 1000);
      ann.item(n, 1, 9000);
      for (const auto& s : std::exchange(slow.port.sent, {})) {
        const bool vital = fragment_at(s.message.position.value())->part.part == 0;
        slow.end(s, vital ? Outcome::kDelivered : Outcome::kCancelled);
      }
      fast.end_all();
      now_ += 50ms;
    }
    // Of the interval that they begin in nothing is told.
    EXPECT_FALSE(ann.port.last<Demand>());
    broker_.poll(now_);
  }
  ASSERT_TRUE(ann.port.last<Demand>());
  EXPECT_NEAR(ann.port.last<Demand>()->most.mbps(), 1.6 * 1.15, 0.2);
  EXPECT_NEAR(ann.port.last<Demand>()->least.mbps(), 0.16, 0.02);
}

// The transport's word that a path has slowed is passed on at once, and bounded.
TEST_F(BrokerTest, PublishersLearnAtOnceThatAPathHasSlowed) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  Party cid(broker_, now_, "Cid");
  bob.watch({"Ann"});
  cid.watch({"Ann"});
  const auto run = [&](Duration length) {
    for (const Timestamp end = now_ + length; now_ < end; now_ += 50ms) {
      ann.item((now_ - kBegin) / 50ms, 0, 10'000);
      bob.end_all();
      cid.end_all();
      broker_.poll(now_);
    }
  };
  run(2s);
  ASSERT_TRUE(ann.port.last<Demand>());
  EXPECT_GE(ann.port.last<Demand>()->least.mbps(), 1.6);
  auto told = ann.port.count<Demand>();
  now_ += 10ms;
  const auto slowed = [&](Party& party, std::int64_t kbps) {
    broker_.on_path_slowed(party.client, DataRate::from_kbps(kbps), now_);
  };
  slowed(bob, 600);
  EXPECT_EQ(ann.port.count<Demand>(), told + 1);
  EXPECT_EQ(ann.port.last<Demand>()->least, DataRate::from_kbps(510));
  EXPECT_GE(ann.port.last<Demand>()->most.mbps(), 1.6);
  // Whatever comes within a moment is told together, when rates are next measured.
  for (int i = 0; i < 40; ++i) slowed(i % 2 == 0 ? bob : cid, 500 - i);
  EXPECT_EQ(ann.port.count<Demand>(), told + 1);
  now_ += paceline::ReceiverRate::kInterval;
  broker_.poll(now_);
  EXPECT_EQ(ann.port.count<Demand>(), told + 2);
  EXPECT_LT(ann.port.last<Demand>()->most, DataRate::from_kbps(425));
  // It holds for a while, and comes back.
  run(200ms);
  EXPECT_LT(ann.port.last<Demand>()->most, DataRate::from_kbps(425));
  run(2s);
  EXPECT_GE(ann.port.last<Demand>()->least.mbps(), 1.6);
}

// Two seats share a path as they use it; one that is paused, or shows nobody, has none of it.
TEST_F(BrokerTest, APathThatHasSlowedIsSharedByTheSeats) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  ann.publish();
  cid.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 100ms, "", 1);
  bob.watch({"Cid", "Nobody"}, 100ms, "", 2);
  broker_.on_path_slowed(bob.client, DataRate::from_kbps(600), now_);  // nothing was sent
  EXPECT_FALSE(ann.port.last<Demand>());
  ann.item(0, 0, 30'000);
  cid.item(0, 0, 10'000);
  broker_.on_path_slowed(bob.client, DataRate::from_kbps(800), now_);
  EXPECT_NEAR(ann.port.last<Demand>()->most.kbps(), 510, 2);
  EXPECT_NEAR(cid.port.last<Demand>()->most.kbps(), 170, 2);
  const auto told = cid.port.count<Demand>();
  now_ += 60ms;
  bob.say(PauseViewer{2});
  broker_.on_path_slowed(bob.client, DataRate::from_kbps(400), now_);
  EXPECT_NEAR(ann.port.last<Demand>()->most.kbps(), 340, 2);
  EXPECT_EQ(cid.port.count<Demand>(), told);
}

TEST_F(BrokerTest, BadClientsAreClosedAndOthersSeeNothingOfIt) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  const auto fresh = [&](const std::string& name, const std::string& text) {
    Party bad(broker_, now_, name);
    bad.say_text(text);
    EXPECT_TRUE(bad.port.closed) << text;
    bad.say(Watch{.viewer = 1, .names = {"Ann"}, .best = {}, .seats = 1, .window = {}});
    EXPECT_EQ(bad.port.count<Seat>(), 0u);
    bad.leave("closed");
  };
  fresh("a", "nonsense");
  fresh("b", R"({"type":"join","room":"den","name":"x","attributes":{}})");
  fresh("c", R"({"type":"watch","viewer":7})");
  fresh("d", R"({"type":"publish","stream":0,"about":""})");
  Party flood(broker_, now_, "flood");
  for (int i = 0; i < 300; ++i) flood.say(Unpublish{});
  EXPECT_TRUE(flood.port.closed);
  Party early(broker_, now_, "Bob");  // refused, so in no room
  early.item(0);
  EXPECT_TRUE(early.port.closed);
  Party deaf(broker_, now_, "deaf");
  deaf.port.full = true;
  Party last(broker_, now_, "last");
  EXPECT_TRUE(deaf.port.closed);
  ann.item(0);
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}}));
  EXPECT_FALSE(ann.port.closed);
  EXPECT_FALSE(bob.port.closed);
}

TEST_F(BrokerTest, AnOperatorIsToldWhoIsSlow) {
  std::vector<std::string> log;
  Broker broker({}, [&](const std::string& line) { log.push_back(line); });
  Party ann(broker, now_, "Ann");
  ann.publish();
  Party slow(broker, now_, "Slow");
  Party fast(broker, now_, "Fast");
  slow.watch({"Ann"});
  fast.watch({"Ann"});
  log.clear();
  std::int64_t item = 0;
  // `gives_up`: the larger part of every item does not reach Slow.
  const auto seconds = [&](int n, bool gives_up) {
    for (int i = 0; i < 10 * n; ++i, ++item, now_ += 100ms) {
      ann.item(item, 0, 1000);
      ann.item(item, 1, 7000);
      for (const auto& s : std::exchange(slow.port.sent, {})) {
        const bool small = fragment_at(s.message.position.value())->part.part == 0;
        slow.end(s, small || !gives_up ? Outcome::kDelivered : Outcome::kCancelled);
      }
      fast.end_all();
      broker.poll(now_);
    }
  };
  seconds(5, false);
  EXPECT_TRUE(log.empty()) << log[0];
  seconds(5, true);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(
      log[0],
      "Slow (Slow's address) is slow: takes 0.08 of 0.6 Mbit/s of Ann; 50% of the fragments are "
      "dropped: all of importance up to 190; all of 200 and more arrives");
  EXPECT_EQ(broker.counts().slow_clients, 1u);
  seconds(15, false);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_NE(log[1].find("Slow (Slow's address) keeps up again"), std::string::npos) << log[1];
  EXPECT_EQ(broker.counts().slow_clients, 0u);
}

TEST_F(BrokerTest, CountsWhatIsThereAndTakesNewLimits) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann", "Cid"});
  Party far(broker_, now_, "Far", "attic");
  broker_.set_options({.max_members = 2, .authorise = {}});
  Party late(broker_, now_, "Late");
  EXPECT_TRUE(late.port.last<JoinRefused>());
  EXPECT_FALSE(bob.port.closed);
  const BrokerCounts counts = broker_.counts();
  EXPECT_EQ(counts.clients, 4u);
  EXPECT_EQ(counts.members, 3u);
  EXPECT_EQ(counts.rooms, 2u);
  EXPECT_EQ(counts.publications, 1u);
  EXPECT_EQ(counts.viewers, 1u);
  EXPECT_EQ(counts.seats, 1u);
}

TEST_F(BrokerTest, KickAndDrain) {
  Party ann(broker_, now_, "Ann");
  EXPECT_FALSE(broker_.kick("den", "Bob", "x", now_));
  EXPECT_TRUE(broker_.kick("den", "Ann", "the operator says so", now_));
  EXPECT_EQ(ann.port.last<Removed>()->reason,
            "removed from the room by who runs it: the operator says so");
  Party bob(broker_, now_, "Bob");
  broker_.drain("the broker is being replaced");
  EXPECT_EQ(bob.port.last<Moving>()->reason, "the broker is being replaced");
  Party cid(broker_, now_, "Cid");
  EXPECT_FALSE(cid.port.last<Joined>());
  EXPECT_TRUE(cid.port.last<Moving>());
}

TEST_F(BrokerTest, ACallThatIsOverIsToldToAll) {
  Party ann(broker_, now_, "Ann");
  Party bob(broker_, now_, "Bob");
  broker_.dismiss("Ann has ended the call");
  for (const Party* party : {&ann, &bob}) {
    ASSERT_TRUE(party->port.last<JoinRefused>());
    EXPECT_EQ(party->port.last<JoinRefused>()->reason, "Ann has ended the call");
  }
  Party cid(broker_, now_, "Cid");
  EXPECT_FALSE(cid.port.last<Joined>());
}

// Any valid messages in any order, by many clients: nobody else is closed, and nothing is left.
TEST_F(BrokerTest, AnyOrderOfValidMessagesHarmsNobody) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Broker broker;
    Party witness(broker, now_, "witness");
    Party source(broker, now_, "source");
    source.publish(2);
    source.publish(4, "sound");
    witness.watch({"source"});
    const StreamId shown = witness.seat_stream();
    witness.watch({"source"}, 100ms, "sound", 2);
    const StreamId heard = witness.seat_stream();
    std::vector<std::unique_ptr<Party>> parties;
    const std::vector<std::string> tracks{"", "sound", "a", "b"};
    const auto viewer = [&] { return static_cast<std::uint32_t>(pick(3)); };
    const auto track = [&] { return tracks[static_cast<std::size_t>(pick(4))]; };
    std::int64_t item = 0;
    for (int step = 0; step < 600; ++step) {
      now_ += 10ms;
      broker.poll(now_);
      if (parties.size() < 5) {
        parties.push_back(std::make_unique<Party>(broker, now_, "p" + std::to_string(step)));
      }
      Party& p = *parties[static_cast<std::size_t>(pick(static_cast<int>(parties.size())))];
      switch (pick(9)) {
        case 0: {
          const int which = pick(4);  // each on either of two streams of its own
          p.publish(static_cast<std::uint32_t>(2 + 4 * which + 2 * pick(2)),
                    tracks[static_cast<std::size_t>(which)]);
          break;
        }
        case 1: p.say(Unpublish{track()}); break;
        case 2:
          if (pick(2) == 0) {
            p.watch({"source", "p" + std::to_string(pick(step + 1))}, 100ms, track(), viewer());
          } else {
            p.say(Watch{.viewer = viewer(),
                        .names = {},
                        .best = "ORDER BY attributes->>'a'",
                        .seats = 1 + pick(3),
                        .window = pick(2) * 100ms,
                        .track = track()});
          }
          break;
        case 3:
          p.say(pick(2) == 0 ? ToBroker(PauseViewer{viewer()}) : ToBroker(ResumeViewer{viewer()}));
          break;
        case 4: p.say(Unwatch{viewer()}); break;
        case 5: p.say(SetAttributes{{{"a", pick(10)}}}); break;
        case 6: p.end_all(pick(2) == 0 ? Outcome::kDelivered : Outcome::kCancelled); break;
        case 7:
          p.item(pick(40), static_cast<std::uint8_t>(pick(3)), 100,
                 static_cast<std::uint32_t>(2 + 2 * pick(8)));
          break;
        default: break;
      }
      source.item(item, 0, 100, 2);
      source.item(item++, 0, 100, 4);
      if (p.port.closed || pick(20) == 0) {
        p.leave("gone");
        std::erase_if(parties, [&](const auto& each) { return each.get() == &p; });
      }
    }
    EXPECT_FALSE(witness.port.closed);
    EXPECT_FALSE(source.port.closed);
    for (const StreamId of : {shown, heard}) {
      const Got got = witness.got(of);
      ASSERT_EQ(got.size(), 600u);
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].first, std::int64_t(i));
    }
    for (const auto& p : parties) p->leave("end");
    EXPECT_EQ(broker.clients(), 2u);
  }
}

}  // namespace
}  // namespace qps
