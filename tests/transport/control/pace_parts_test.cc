// The parts of PACE, each by itself.
#include <gtest/gtest.h>

#include "transport/control/base_rtt.h"
#include "transport/control/cubic_twin.h"
#include "transport/control/hole_detector.h"
#include "transport/control/hystart_switch.h"
#include "transport/control/pacer.h"
#include "transport/control/rate_reduction.h"
#include "transport/control/used_window.h"

namespace paceline {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;
using qvid::operator""s;

TEST(CubicTwin, ComesBackToWhereItLostAfterK) {
  CubicTwin twin;
  const Timestamp begin(1s);
  twin.begin(100, 1, false, begin);
  double window = twin.on_loss(100, 1, 0ms, begin);
  EXPECT_DOUBLE_EQ(window, 70);
  // K = ∛(30/0.4) = 4.2 s
  for (Duration t{}; t < 4100ms; t += 100ms) window = twin.grow(window, 100ms, begin + t);
  EXPECT_NEAR(window, 100, 1);
  for (Duration t = 4100ms; t < 8000ms; t += 100ms) window = twin.grow(window, 100ms, begin + t);
  EXPECT_GT(window, 110);
}

TEST(CubicTwin, LosingTwiceLeavesRoomAndKeepsTwoChunks) {
  CubicTwin twin;
  const Timestamp begin(1s);
  twin.begin(100, 1, false, begin);
  EXPECT_DOUBLE_EQ(twin.on_loss(twin.on_loss(100, 1, 0ms, begin), 1, 0ms, begin), 49);
  // The origin is now below 70: after K it is passed slowly.
  EXPECT_LT(twin.grow(49, 10ms, begin + 3500ms), 62);
  EXPECT_DOUBLE_EQ(twin.on_loss(1, 1, 0ms, begin), 2);
}

// It does not know how much is too much: by the curve it would have 14 after two seconds.
TEST(CubicTwin, ThatHasNotLostYetGrowsByHalfARoundUntilItLosesOrThatIsEnded) {
  const Timestamp begin(1s);
  for (const bool loses : {true, false}) {
    CubicTwin twin;
    twin.begin(10, 1, true, begin);
    double window = 10;
    for (int round = 0; round < 3; ++round)
      window = twin.grow(window, 500ms, begin + round * 500ms);
    EXPECT_NEAR(window, 10 * 1.5 * 1.5 * 1.5, .01);
    if (loses) {
      window = twin.on_loss(window, 1, 0ms, begin + 2s);
      EXPECT_LT(twin.grow(window, 500ms, begin + 2500ms), 1.4 * window);
    } else {
      twin.end_slow_start(window, begin + 2s);
      EXPECT_LT(twin.grow(window, 500ms, begin + 2500ms), 36);
      twin.end_slow_start(10, begin + 4s);  // it has ended: nothing begins anew
      EXPECT_GT(twin.grow(window, 500ms, begin + 4500ms), 40);
    }
  }
}

// Of segments of an eighth of a chunk it comes back after twice the time, and Reno's step is an eighth.
TEST(CubicTwin, SmallSegmentsGrowBySmallSteps) {
  CubicTwin twin;
  const Timestamp begin(1s);
  twin.begin(100, 1, false, begin);
  double window = twin.on_loss(100, 1. / 8, 0ms, begin);
  for (Duration t{}; t < 4100ms; t += 100ms) window = twin.grow(window, 100ms, begin + t);
  EXPECT_LT(window, 97);
  for (Duration t = 4100ms; t < 8300ms; t += 100ms) window = twin.grow(window, 100ms, begin + t);
  EXPECT_NEAR(window, 100, 1);

  CubicTwin slow;  // rounds of a second: as Reno
  slow.begin(10, 1. / 8, false, begin);
  window = slow.on_loss(10, 1. / 8, 0ms, begin);
  EXPECT_NEAR(slow.grow(window, 10ms, begin + 10ms), 7 + .53 / 8, .01);
}

// RFC 9438, sections 4.2 and 5.8.
TEST(CubicTwin, NeitherARepairNorARestIsTimeOfItsCurve) {
  const Timestamp begin(1s);
  const auto after = [&](Duration repair, Duration rest) {
    CubicTwin twin;
    twin.begin(100, 1, false, begin);
    const double window = twin.on_loss(100, 1, repair, begin);
    twin.rest(rest);
    return twin.grow(window, 100ms, begin + 3s + repair + rest);
  };
  const double at_once = after({}, {});
  EXPECT_GT(at_once, 90);
  EXPECT_DOUBLE_EQ(after(1s, {}), at_once);
  EXPECT_DOUBLE_EQ(after({}, 10s), at_once);
}

TEST(UsedWindow, IsTheMostOfTheLastOneToTwoSeconds) {
  UsedWindow used;
  const Timestamp begin(5s);
  used.on_outstanding(9000, 9000, begin);
  used.on_outstanding(3000, 3000, begin + 999ms);
  EXPECT_FALSE(used.most());
  used.on_outstanding(1000, 1000, begin + 1s);
  EXPECT_EQ(used.most(), 9000);
  EXPECT_EQ(used.rate(), 12'000);
  used.on_outstanding(2000, 2000, begin + 2s);
  EXPECT_EQ(used.most(), 2000);
  used.on_outstanding(500, 500, begin + 9s);  // after a rest
  EXPECT_EQ(used.most(), 500);
  EXPECT_EQ(used.rate(), 500);
  used.forget();
  EXPECT_FALSE(used.most());
}

// RFC 6937: for a window of a quarter a quarter of what arrives, so that a quarter is under way
// when the rest has drained.
TEST(RateReduction, WritesItsPartOfWhatArrives) {
  RateReduction reduction;
  EXPECT_FALSE(reduction.active());
  const Timestamp begin(5s);
  reduction.begin(20'000, begin);
  EXPECT_DOUBLE_EQ(reduction.room(5'000), 0);
  EXPECT_FALSE(reduction.on_acked(8'000, begin + 100ms));
  EXPECT_DOUBLE_EQ(reduction.room(5'000), 2'000);
  reduction.on_written(1'500);
  EXPECT_DOUBLE_EQ(reduction.room(5'000), 500);
  // The window fell further: what is written too much is made up for.
  EXPECT_DOUBLE_EQ(reduction.room(2'500), -500);
  EXPECT_FALSE(reduction.on_acked(11'000, begin + 200ms));
  EXPECT_TRUE(reduction.active());
  EXPECT_TRUE(reduction.on_acked(1'000, begin + 300ms));
  EXPECT_FALSE(reduction.active());
}

TEST(RateReduction, TellsHowFastItDrains) {
  RateReduction reduction;
  const Timestamp begin(5s);
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate());
  reduction.begin(20'000, begin);
  reduction.on_acked(1'400, begin + 1ms);  // two read together
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate());
  reduction.on_acked(1'600, begin + 40ms);
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate::from_kbps(600));
  EXPECT_EQ(reduction.drain_rate(4'200), qvid::DataRate()) << "of so little";
  reduction.on_acked(1'200, begin + 56ms);
  EXPECT_EQ(reduction.drain_rate(4'200), qvid::DataRate::from_kbps(600));
  reduction.end();
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate());
}

// The time of a stall is not that of a slow path: what comes after it tells.
TEST(RateReduction, AStallTellsNoRate) {
  RateReduction reduction;
  const Timestamp begin(5s);
  reduction.begin(20'000, qvid::kNever);
  reduction.on_acked(1'400, begin + 80ms);
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate());
  reduction.on_acked(10'000, begin + 82ms);
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate());
  reduction.on_acked(2'500, begin + 90ms);
  EXPECT_EQ(reduction.drain_rate(1'500), qvid::DataRate::from_kbps(10'000));
}

TEST(BaseRtt, FallsAtOnceAndTellsMoreThanJitter) {
  BaseRtt base;
  EXPECT_FALSE(base.sample(50ms));
  EXPECT_FALSE(base.sample(80ms));
  EXPECT_FALSE(base.sample(49ms));
  EXPECT_TRUE(base.sample(40ms));
  EXPECT_EQ(base.value(), 40ms);
}

TEST(BaseRtt, RisesOnlyAfterSixPeriodsThatAgree) {
  BaseRtt base;
  base.sample(40ms);
  base.end_period();
  for (int i = 0; i < 5; ++i) {
    base.sample(80ms + i % 2 * 1ms);
    base.end_period();
    EXPECT_EQ(base.value(), 40ms) << i;
  }
  base.sample(80ms);
  base.end_period();
  EXPECT_EQ(base.value(), 80ms);
  base.replace(60ms);
  EXPECT_EQ(base.value(), 60ms);
}

TEST(HoleDetector, SeesWhatWasHeldBackForARoundTrip) {
  HoleDetector holes;
  const Timestamp begin(1s);
  for (int i = 1; i <= 200; ++i) holes.on_written(i * 100, begin + i * 1ms, 1ms);
  EXPECT_EQ(holes.on_acked(19'000, begin + 190ms), 53ms);  // it keeps 64 marks
  EXPECT_EQ(holes.on_acked(19'100, begin + 191ms), 0ms);
  EXPECT_EQ(holes.on_acked(20'000, begin + 200ms), 8ms);
}

// A loss ends slow start for good, but not before its repair: the kernel may undo it until then.
TEST(HyStartSwitch, ComesBackOnceSlowStartIsOver) {
  const SocketSample slow_start{};
  SocketSample repaired;
  repaired.slow_start_over = true;
  SocketSample loss = repaired;
  loss.repairs = true;
  HyStartSwitch hystart;
  EXPECT_EQ(hystart.change(slow_start, true), std::optional(true));
  EXPECT_EQ(hystart.change(slow_start, true), std::nullopt);
  EXPECT_EQ(hystart.change(slow_start, false), std::optional(false));
  EXPECT_EQ(hystart.change(slow_start, true), std::optional(true));
  EXPECT_EQ(hystart.change(loss, false), std::nullopt);
  EXPECT_EQ(hystart.change(slow_start, true), std::nullopt) << "it was undone";
  EXPECT_EQ(hystart.change(loss, true), std::nullopt);
  EXPECT_EQ(hystart.change(repaired, true), std::optional(false));
  EXPECT_EQ(hystart.change(loss, true), std::nullopt) << "cubic would forget its window";
  EXPECT_EQ(hystart.change(repaired, true), std::nullopt);
}

TEST(Pacer, KeepsTheRateOverTime) {
  Pacer pacer;
  Timestamp now(1s);
  pacer.set(100'000, 3000, 3000, now);
  double written = 0;
  const Timestamp end = now + 10s;
  while (now < end) {
    while (pacer.tokens(now) > 0) pacer.on_written(1000, now), written += 1000;
    now = pacer.opens_at(now);
  }
  EXPECT_NEAR(written, 1'000'000, 5000);
}

// A voice that takes twice the rate for a minute.
TEST(Pacer, WhatGoesWithoutTokensIsOwedWithinABound) {
  Pacer pacer;
  Timestamp now(1s);
  pacer.set(7000, 2800, 3500, now);
  for (int i = 0; i < 3000; ++i) pacer.on_written(280, now += 20ms);
  EXPECT_EQ(pacer.tokens(now), -3500);
  EXPECT_GT(pacer.tokens(now + 501ms), 0);
}

}  // namespace
}  // namespace paceline
