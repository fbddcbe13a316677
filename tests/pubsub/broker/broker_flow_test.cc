// What slow viewers cost nobody else, and what publishers are told of those who watch them.
#include <gtest/gtest.h>

#include "pubsub/broker/broker.h"
#include "tests/pubsub/broker/broker_fixture.h"
#include "tests/pubsub/broker_party.h"
#include "transport/rate/receiver_rate.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using paceline::Outcome;
using paceline::StreamId;

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

// Those who are to see a new track come one after the other: who comes behind its first beginning does not
// wait for half a second. Later, whoever comes waits as long as all.
TEST_F(BrokerTest, WhoComesLateToANewTrackIsNotKeptWaiting) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  ann.item(0, 0);
  now_ += Broker::kLeastBetweenOpening - 1ms;
  Party cid(broker_, now_, "Cid");
  cid.watch({"Ann"});
  ann.item(1, 0);
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  now_ += 1ms;
  ann.item(2, 0);
  EXPECT_EQ(ann.port.count<Begin>(), 2u);
  for (int n = 3; n <= 10; ++n) ann.item(n, 0);

  now_ += Broker::kOpening;
  Party dora(broker_, now_, "Dora");
  dora.watch({"Ann"});
  ann.item(11, 0);
  EXPECT_EQ(ann.port.count<Begin>(), 3u);
  for (int n = 12; n <= 20; ++n) ann.item(n, 0);
  now_ += Broker::kLeastBetween - 1ms;
  Party eve(broker_, now_, "Eve");
  eve.watch({"Ann"});
  ann.item(21, 0);
  EXPECT_EQ(ann.port.count<Begin>(), 3u);
  now_ += 1ms;
  ann.item(22, 0);
  EXPECT_EQ(ann.port.count<Begin>(), 4u);
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

TEST_F(BrokerTest, PublishersLearnWhatTheirViewersCanTake) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party slow(broker_, now_, "Slow");
  Party fast(broker_, now_, "Fast");
  slow.watch({"Ann"});
  fast.watch({"Ann"});
  broker_.poll(now_);
  decltype(slow.port.sent) under_way;
  for (int n = 0; n < 20; ++n) {
    ann.item(n, 0, 1000);
    ann.item(n, 1, 9000);
    // Its path takes 50 ms for the little that is vital, and never comes to the rest.
    for (const auto& s : std::exchange(under_way, std::exchange(slow.port.sent, {}))) {
      const bool vital = fragment_at(s.message.position.value())->part.part == 0;
      slow.end(s, vital ? Outcome::kDelivered : Outcome::kCancelled);
    }
    fast.end_all();
    now_ += 50ms;
    broker_.poll(now_);
  }
  ASSERT_TRUE(ann.port.last<Demand>());
  using paceline::ReceiverRate;
  EXPECT_GT(ann.port.last<Demand>()->most.mbps(), 1.6 * ReceiverRate::kStep);
  EXPECT_LT(ann.port.last<Demand>()->most.mbps(), 1.6 * ReceiverRate::kHeadroom);
  EXPECT_LE(ann.port.last<Demand>()->least.mbps(), 0.16 * ReceiverRate::kMargin);
  EXPECT_GT(ann.port.last<Demand>()->least.mbps(), 0.08);
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
    broker_.on_path_rate(party.client, {DataRate::from_kbps(kbps)}, now_);
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
  broker_.on_path_rate(bob.client, {DataRate::from_kbps(600)}, now_);  // nothing was sent
  EXPECT_FALSE(ann.port.last<Demand>());
  ann.item(0, 0, 30'000);
  cid.item(0, 0, 10'000);
  broker_.on_path_rate(bob.client, {DataRate::from_kbps(800)}, now_);
  EXPECT_NEAR(ann.port.last<Demand>()->most.kbps(), 510, 2);
  EXPECT_NEAR(cid.port.last<Demand>()->most.kbps(), 170, 2);
  const auto told = cid.port.count<Demand>();
  now_ += 60ms;
  bob.say(PauseViewer{2});
  broker_.on_path_rate(bob.client, {DataRate::from_kbps(400)}, now_);
  EXPECT_NEAR(ann.port.last<Demand>()->most.kbps(), 340, 2);
  EXPECT_EQ(cid.port.count<Demand>(), told);
}

// 1.6 Mbit/s, of which each message ends like that.
struct BrokerRates : BrokerTest {
  void watch_for(Duration time, Party& publisher, Party& viewer,
                 Outcome outcome = Outcome::kDelivered) {
    for (const Timestamp end = now_ + time; now_ < end; now_ += 50ms) {
      publisher.item((now_ - kBegin) / 50ms, 0, 10'000);
      viewer.end_all(outcome);
      broker_.poll(now_);
    }
  }
};

// Beside one its encoder makes bases that are worth showing, as it does where it knows of the path itself.
TEST_F(BrokerRates, PublishersLearnThatAViewerIsBesideACompetitor) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  watch_for(2s, ann, bob);
  ASSERT_TRUE(ann.port.last<Demand>());
  EXPECT_FALSE(ann.port.last<Demand>()->contended);
  broker_.on_path_rate(bob.client, {DataRate::from_kbps(1500), paceline::PathRate::Reason::kShare},
                       now_);
  EXPECT_TRUE(ann.port.last<Demand>()->contended);
  watch_for(paceline::ReceiverRate::kContended + 1s, ann, bob);
  EXPECT_FALSE(ann.port.last<Demand>()->contended);
}

// In an outage nothing is under way at last, and rates have fallen as low as they can: neither says
// what the path takes once it is back.
TEST_F(BrokerRates, AfterAnOutageASeatTakesWhatItTook) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  watch_for(3s, ann, bob);
  ASSERT_TRUE(ann.port.last<Demand>());
  const DataRate before = ann.port.last<Demand>()->most;
  EXPECT_GE(before.mbps(), 1.6);
  watch_for(3s, ann, bob, Outcome::kCancelled);
  EXPECT_LT(ann.port.last<Demand>()->most.mbps(), 0.2);
  now_ += 1s;
  broker_.on_path_rate(bob.client, {{}, paceline::PathRate::Reason::kRestored}, now_);
  EXPECT_EQ(ann.port.last<Demand>()->most, before);
}

TEST_F(BrokerTest, AnOperatorIsToldWhoIsSlow) {
  std::vector<std::string> log;
  Broker broker({}, [&](const BrokerLine& line) { log.push_back(line.text); });
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

}  // namespace
}  // namespace qps
