// A flow of little content, as speech or a still scene: it is not held back by a queue that others
// make, whatever PACE does to find out whose it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "transport/control/controller_pace.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

// A message of `bytes` each 50 ms over a path of which others make the round trip.
class SteadyFlow {
 public:
  explicit SteadyFlow(std::int64_t size) : bytes(size) {}

  // Over a round trip that rises and falls by `swing` each second, as a greedy flow's queue does.
  void run(Duration time, Duration rtt, Duration swing) {
    for (const Timestamp end = now_ + time; now_ < end; now_ += 1ms) {
      if ((now_ - Timestamp{}) % 50ms == 0ms) waiting_.push_back(now_);
      while (!waiting_.empty() && controller.allowance(now_) > ByteCount()) write();
      gated_ |= !waiting_.empty();
      const Duration phase = (now_ - Timestamp{}) % 1s;
      round_trip_ = rtt + swing * (std::min(phase, 1s - phase) / 1ms) / 500;
      while (!sent_.empty() && now_ >= sent_.front().at + round_trip_) acknowledge();
    }
  }

  std::int64_t bytes;       // of a message
  Duration longest_wait{};  // of a message, for the gate
  bool competes = false;    // by the last word
  int left = 0;             // times that it ceased to compete
  PaceController controller{{}};

 private:
  struct Sent {
    Timestamp at;
    std::int64_t bytes;
  };

  void write() {
    longest_wait = std::max(longest_wait, Duration(now_ - waiting_.front()));
    waiting_.pop_front();
    controller.on_written(ByteCount(bytes), now_);
    sent_.push_back({now_, bytes});
    under_way_ += bytes;
  }
  void acknowledge() {
    const Sent sent = sent_.front();
    sent_.pop_front();
    under_way_ -= sent.bytes;
    controller.on_acked({.acked = ByteCount(sent.bytes),
                         .unacked = ByteCount(under_way_),
                         .rtt = now_ - sent.at,
                         .gate_limited = std::exchange(gated_, false)},
                        now_);
    const bool before = std::exchange(competes, controller.signals().competing);
    if (before && !competes) ++left;
  }

  Timestamp now_{1s};
  Duration round_trip_{};
  std::deque<Timestamp> waiting_;
  std::deque<Sent> sent_;
  std::int64_t under_way_ = 0;
  bool gated_ = false;
};

TEST(PaceThinFlow, IsNotHeldBackBesideAGreedyOne) {
  SteadyFlow flow(400);
  flow.run(3s, 30ms, 0ms);
  for (Duration rtt = 30ms; rtt < 150ms; rtt += 10ms) flow.run(60ms, rtt, 0ms);  // a start-up
  flow.run(60s, 150ms, 150ms);
  EXPECT_LE(flow.longest_wait, 1s) << "until it is clear that the queue stays";
}

TEST(PaceThinFlow, NorWhereTheGreedyOneWasThereBefore) {
  SteadyFlow flow(400);
  flow.run(60s, 150ms, 150ms);
  EXPECT_LE(flow.longest_wait, 50ms);
}

// It loses next to nothing in a queue that another fills: that is no sign that nobody does.
TEST(PaceThinFlow, WithoutLossesGoesOnCompeting) {
  SteadyFlow flow(4000);
  flow.run(3s, 30ms, 0ms);
  flow.run(10s, 150ms, 150ms);
  ASSERT_TRUE(flow.competes);
  flow.bytes = 400;
  flow.left = 0;
  flow.run(120s, 150ms, 150ms);
  EXPECT_EQ(flow.left, 0);
}

// What a flow had alone was the line: all of it again, into a full queue, would be lost.
TEST(PaceFlowThatIsNotThin, BeginsToCompeteWithAPartOfWhatItHad) {
  SteadyFlow flow(4000);
  flow.run(1s, 30ms, 0ms);
  flow.run(100ms, 60ms, 0ms);  // its start-up is over
  flow.run(5s, 30ms, 0ms);
  for (int i = 0; i < 1000 && !flow.competes; ++i) flow.run(10ms, 150ms, 150ms);
  ASSERT_TRUE(flow.competes);
  // All of it is .58 of what is used: the window gave way to the queue before.
  const auto used = qvid::DataRate::of(ByteCount(4000), 50ms);
  EXPECT_LE(flow.controller.signals().share, used * .3);
  EXPECT_GE(flow.controller.signals().share, used * .1);
}

// Who uses more than a little gives way as ever, until it knows.
TEST(PaceThinFlow, OneThatIsNotThinGivesWay) {
  SteadyFlow flow(4000);
  flow.run(3s, 30ms, 0ms);
  flow.run(2s, 150ms, 150ms);
  EXPECT_FALSE(flow.competes);
  EXPECT_GT(flow.longest_wait, 200ms);
}

}  // namespace
}  // namespace paceline
