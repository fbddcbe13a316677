// Shows that lateness counts at once and is forgotten slowly, and what is no lateness: drift, a
// longer route, an outage, a clock that steps.
#include "media/sound/jitter_meter.h"

#include <gtest/gtest.h>

#include "media/sound/jitter_buffer.h"

namespace qvid::media {
namespace {

class MeteringJitter : public ::testing::Test {
 protected:
  // A packet of 20 ms every 20 ms for so long, `late` late; heard 30 ms after it came.
  bool feed(Duration time, Duration late = 0ms) {
    bool well = true;
    for (const Timestamp end = now_ + time; now_ < end; now_ += 20ms) {
      const Timestamp arrival = now_ + 20ms + 15ms + late;
      well &= meter_.on_packet(now_ - 5h + step_, 20ms, arrival, arrival + 30ms);
    }
    return well;
  }
  double late() const { return to_ms(meter_.needed(now_) - meter_.base()); }

  JitterMeter meter_;
  Timestamp now_{100h};
  Duration step_{};
};

TEST_F(MeteringJitter, ASteadyPathNeedsNoMoreThanItsBase) {
  EXPECT_TRUE(feed(60s));
  EXPECT_EQ(meter_.transit(), 5h + 15ms);
  EXPECT_EQ(meter_.latency(), 30ms);
  EXPECT_EQ(meter_.needed(now_), 5h + 65ms);
}

TEST_F(MeteringJitter, LatenessCountsAtOnceAndIsForgottenSlowly) {
  feed(5s);
  feed(20ms, 800ms);
  EXPECT_EQ(late(), 800);
  feed(9s);
  EXPECT_EQ(late(), 800);
  feed(11s);
  EXPECT_NEAR(late(), 430, 30);
  feed(12s);
  EXPECT_EQ(late(), 0);
}

TEST_F(MeteringJitter, ALateBeginIsForgottenSoon) {
  feed(20ms);
  feed(1s, 200ms);
  EXPECT_EQ(late(), 200);
  feed(1s);
  EXPECT_EQ(late(), 200);
  feed(6s);
  EXPECT_EQ(late(), 0);
}

TEST_F(MeteringJitter, WhatIsMissingIsAsLateAsItsFollower) {
  feed(5s);
  meter_.on_missing(now_ - 600ms - 5h, now_ + 65ms);
  EXPECT_EQ(late(), 600);
}

TEST_F(MeteringJitter, ALongerRouteBecomesTheBase) {
  feed(5s);
  EXPECT_TRUE(feed(30s, 100ms));
  EXPECT_EQ(meter_.transit(), 5h + 115ms);
  EXPECT_EQ(late(), 0);
  // A shorter one at once.
  feed(20ms);
  EXPECT_EQ(meter_.transit(), 5h + 15ms);
}

TEST_F(MeteringJitter, DriftIsFollowed) {
  for (int i = 0; i < 600; ++i) {
    feed(1s);
    step_ += 200us;
  }
  EXPECT_LT(late(), 10);
}

TEST_F(MeteringJitter, AnOutageIsNoLateness) {
  feed(5s);
  for (Duration late = 5s; late > 0ms; late -= 20ms) {
    meter_.on_packet(now_ + 5s - late - 5h, 20ms, now_ + 5s + 35ms, now_ + 5s + 65ms);
  }
  now_ += 5s;
  EXPECT_EQ(late(), 0);
  EXPECT_TRUE(feed(5s));
}

TEST_F(MeteringJitter, AStepIsSaidOnce) {
  feed(5s);
  step_ = 3h;
  EXPECT_FALSE(feed(20ms));
  EXPECT_TRUE(feed(10s));
  step_ = 0h;
  EXPECT_TRUE(feed(1s));  // as late as that may be an outage
  EXPECT_FALSE(feed(1s));
  EXPECT_EQ(meter_.transit(), 5h + 15ms);
}

TEST(JitterBuffer, IsBoundedInPacketsAndInTime) {
  JitterBuffer buffer;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    buffer.add(i, {.captured = Timestamp(1h) + static_cast<int>(i) * 2500us, .duration = 2500us});
  }
  EXPECT_EQ(buffer.size(), JitterBuffer::kMostPackets);
  EXPECT_EQ(buffer.first()->number, 1000 - JitterBuffer::kMostPackets);
  for (std::uint64_t i = 1000; i < 1300; ++i) {
    buffer.add(i, {.captured = Timestamp(1h) + static_cast<int>(i) * 20ms, .duration = 20ms});
  }
  EXPECT_EQ(buffer.size(), 151U);
  // What is far from the latest goes, on either side; what is there twice counts once.
  buffer.add(5000, {.captured = Timestamp(90h), .duration = 20ms});
  EXPECT_EQ(buffer.size(), 1U);
  buffer.add(7, {.captured = Timestamp(1h), .duration = 20ms});
  buffer.add(7, {.captured = Timestamp(1h), .duration = 40ms});
  EXPECT_EQ(buffer.size(), 1U);
  EXPECT_EQ(buffer.take().end(), Timestamp(1h) + 20ms);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.first(), nullptr);
}

}  // namespace
}  // namespace qvid::media
