// Shows that the rules of a broker do well by sound too: fifty small items a second, each for
// itself, and the next after a silence as good as any. The broker knows of no sound; this is what a
// publication of such items is like.
#include <gtest/gtest.h>

#include "tests/pubsub/broker_party.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using paceline::Outcome;

constexpr Duration kPacket = 20ms;

class BrokerSoundTest : public ::testing::Test {
 protected:
  // The packet that is whole now, of a clock that runs with ours. Numbers go by time: what is
  // silent has none.
  void packet(Party& party, std::size_t bytes = 80) {
    const auto number = (now_ - kBegin) / kPacket;
    const Envelope envelope{.begins = true,
                            .vital = true,
                            .importance = 220,
                            .due = Timestamp(1h + number * kPacket),
                            .useful_for = {},
                            .depends_on = {}};
    party.arrive({.part = {.item = number, .part = 0}, .fragment = 0},
                 to_fragments(envelope, qvid::PayloadBuilder(bytes).take())[0]);
  }
  void talk(Party& party, Duration length) {
    for (const Timestamp end = now_ + length; now_ < end; pass(kPacket)) packet(party);
  }
  void pass(Duration length) {
    for (const Timestamp end = now_ + length; now_ < end;) {
      now_ += kPacket;
      broker_.poll(now_);
    }
  }

  Timestamp now_ = kBegin;
  Broker broker_;
};

TEST_F(BrokerSoundTest, NothingIsAskedForWhereEveryItemBegins) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  // Of a track that is new nobody knows it. Before the first word nothing is asked again.
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  pass(30s);
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  talk(ann, 100ms);
  EXPECT_EQ(bob.port.sent.size(), 5u);
  // Neither for who comes, nor for who comes back, nor for what is lost, in a silence or not.
  for (const Duration silence : {Duration(0ms), Duration(1min)}) {
    pass(silence);
    Party cid(broker_, now_, "Cid");
    cid.watch({"Ann"});
    bob.say(PauseViewer{1});
    cid.say(PauseViewer{1});
    EXPECT_FALSE(ann.port.last<Wanted>()->on);
    pass(1s);
    bob.say(ResumeViewer{1});
    cid.say(ResumeViewer{1});
    EXPECT_TRUE(ann.port.last<Wanted>()->on);
    pass(1s);
    talk(ann, 100ms);
    EXPECT_EQ(cid.port.sent.size(), 5u);
    cid.end_all(Outcome::kCancelled);
    talk(ann, 100ms);
    EXPECT_EQ(cid.port.sent.size(), 5u);
    EXPECT_TRUE(cid.port.cancelled.empty());  // nothing needs what is lost
  }
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
}

TEST_F(BrokerSoundTest, WhatWasTakenForSoundAndIsNotIsAskedFor) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  ann.item(0);
  ann.item(10);  // two beginnings in a row
  now_ += 1s;
  Party cid(broker_, now_, "Cid");
  cid.watch({"Ann"});
  EXPECT_EQ(ann.port.count<Begin>(), 1u);
  ann.item(11);
  EXPECT_EQ(ann.port.count<Begin>(), 2u);
}

TEST_F(BrokerSoundTest, ASeatSwitchesAtTheNextItem) {
  Party ann(broker_, now_, "Ann");
  Party cid(broker_, now_, "Cid");
  ann.publish();
  cid.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  talk(ann, 1s);
  bob.watch({"Cid"});
  packet(ann);  // Cid says nothing yet
  EXPECT_EQ(bob.port.last<Seat>()->name, "Ann");
  packet(cid);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Cid");
  EXPECT_EQ(bob.got(bob.seat_stream()), (Got{{0, 0}}));
}

TEST_F(BrokerSoundTest, AfterASilenceItGoesOnAtOnceWithDeadlinesOfItsOwn) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 150ms);
  for (const Duration silence : {40ms, 3000ms, 60'000ms, 3'600'000ms}) {
    talk(ann, 500ms);
    bob.end_all();
    pass(silence);
    packet(ann);
    ASSERT_EQ(bob.port.sent.size(), 1u);
    EXPECT_EQ(bob.port.sent[0].message.deadline, now_ + 150ms);
    now_ += kPacket;
  }
  // Its place tells how long it was silent.
  const auto last = fragment_at(bob.port.sent[0].message.position.value());
  EXPECT_EQ(last->part.item, (now_ - kPacket - kBegin) / kPacket);
}

TEST_F(BrokerSoundTest, MoreThanTheLogKnowsMayBeUnderWay) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"}, 10s);
  talk(ann, 8s);
  EXPECT_EQ(bob.port.sent.size(), 400u);
  bob.end_all(Outcome::kCancelled);
  EXPECT_TRUE(bob.port.cancelled.empty());
  talk(ann, 1s);
  EXPECT_EQ(bob.port.sent.size(), 50u);
}

TEST_F(BrokerSoundTest, DemandIsToldOfWhatWasSaidNotOfSilence) {
  Party ann(broker_, now_, "Ann");
  ann.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({"Ann"});
  // Two items a second, of which some are late.
  for (int i = 0; i < 20; ++i) {
    packet(ann, 10);
    bob.end_all(i % 3 == 0 ? Outcome::kCancelled : Outcome::kDelivered);
    pass(400ms);
  }
  EXPECT_FALSE(ann.port.last<Demand>());
  const auto words = [&](Duration length) {
    for (const Timestamp end = now_ + length; now_ < end; pass(kPacket)) {
      packet(ann);
      bob.end_all();
    }
  };
  words(3s);
  ASSERT_TRUE(ann.port.last<Demand>());
  const Demand said = *ann.port.last<Demand>();
  EXPECT_GT(said.least, DataRate::from_kbps(32));  // of 80 bytes, fifty times a second
  pass(500ms);
  const auto told = ann.port.count<Demand>();
  for (int i = 0; i < 20; ++i) {
    packet(ann, 10);
    bob.end_all(i % 3 == 0 ? Outcome::kCancelled : Outcome::kDelivered);
    pass(400ms);
  }
  EXPECT_EQ(ann.port.count<Demand>(), told);
  EXPECT_EQ(*ann.port.last<Demand>(), said);
}

}  // namespace
}  // namespace qps
