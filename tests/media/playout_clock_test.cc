// Shows that the player finds the sender's timeline from arrivals alone: whatever the offset of the
// clocks, with jitter, drift and changes of the route. 25 frames a second make a frame 40 ms.
#include "media/playout_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace qvid::media {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr int kWindow = 3;

class Clock : public ::testing::Test {
 protected:
  // Frame n leaves the sender a frame time after its due time and takes `transit`.
  static Timestamp due(std::int64_t n) { return Timestamp(100h) + n * kFrame; }
  void header(std::int64_t n, Duration transit, Duration offset = 0ns) {
    clock_.on_header(due(n), due(n) + kFrame + transit + offset);
  }
  // The path's transit as the clock takes it to be.
  Duration transit(std::int64_t n, Duration offset = 0ns) const {
    return clock_.decode_time(due(n)) - due(n) - (1 + kWindow) * kFrame - offset;
  }

  PlayoutClock clock_{kRate, kWindow};
};

TEST_F(Clock, StartsWithTheFirstHeader) {
  EXPECT_FALSE(clock_.started());
  header(0, 25ms);
  EXPECT_TRUE(clock_.started());
  EXPECT_EQ(clock_.decode_time(due(0)), due(0) + 4 * kFrame + 25ms);
  EXPECT_EQ(clock_.show_time(due(0)), due(0) + 6 * kFrame + 25ms);
}

TEST_F(Clock, FollowsTheEarliestArrivalWhateverTheOffset) {
  for (const Duration offset : {0h, 5h, -5h, 90h, -99h}) {
    SCOPED_TRACE(to_seconds(offset));
    clock_ = PlayoutClock(kRate, kWindow);
    std::mt19937 random(3);
    Duration least = 1h;
    for (std::int64_t n = 0; n < 200; ++n) {
      const Duration taken = 20ms + static_cast<int>(random() % 60'000) * 1us;
      least = std::min(least, taken);
      header(n, taken, offset);
      EXPECT_EQ(transit(n, offset), least);
    }
  }
}

TEST_F(Clock, FollowsDrift) {
  for (const double ppm : {200.0, -200.0}) {
    SCOPED_TRACE(ppm);
    clock_ = PlayoutClock(kRate, kWindow);
    std::mt19937 random(4);
    for (std::int64_t n = 0; n < 10 * 60 * 25; ++n) {
      const Duration drifted = from_seconds(to_seconds(n * kFrame) * ppm * 1e-6);
      header(n, 20ms + static_cast<int>(random() % 30) * 1ms, drifted);
      ASSERT_LT(std::chrono::abs(transit(n, drifted) - 20ms), kFrame) << n;
      // 2 ms of drift in the memory, and the jitter until its least has been seen.
      if (n > 250) {
        ASSERT_LT(std::chrono::abs(transit(n, drifted) - 20ms), 5ms) << n;
      }
    }
  }
}

TEST_F(Clock, AShorterRouteCountsAtOnce) {
  for (std::int64_t n = 0; n < 100; ++n) header(n, 80ms);
  header(100, 30ms);
  EXPECT_EQ(transit(100), 30ms);
}

TEST_F(Clock, ALongerRouteCountsOnceTheShorterIsForgotten) {
  for (std::int64_t n = 0; n < 100; ++n) header(n, 30ms);
  const Timestamp changed = due(100);
  std::int64_t n = 100;
  for (; due(n) < changed + PlayoutClock::kMemory - 1s; ++n) {
    header(n, 80ms);
    ASSERT_EQ(transit(n), 30ms);
  }
  for (; due(n) < changed + PlayoutClock::kMemory + PlayoutClock::kSlot; ++n) header(n, 80ms);
  EXPECT_EQ(transit(n), 80ms);
}

TEST_F(Clock, ARouteLongerThanTheWindowCountsAfterItsPatience) {
  for (std::int64_t n = 0; n < 100; ++n) header(n, 30ms);
  const Timestamp changed = due(100);
  std::int64_t n = 100;
  for (; due(n) < changed + PlayoutClock::kPatience / 2; ++n) header(n, 500ms);
  EXPECT_EQ(transit(n), 30ms);  // may be a spike
  for (; due(n) < changed + PlayoutClock::kPatience + 2 * PlayoutClock::kSlot; ++n)
    header(n, 500ms);
  EXPECT_EQ(transit(n), 500ms);
  header(n, 30ms);
  EXPECT_EQ(transit(n), 30ms);  // and back at once
}

TEST_F(Clock, AfterAGapOnlyWhatIsNewCounts) {
  for (std::int64_t n = 0; n < 100; ++n) header(n, 30ms);
  header(100'000, 200ms);
  EXPECT_EQ(transit(100'000), 200ms);
}

TEST_F(Clock, DelayIsFromCaptureToScreen) {
  constexpr Duration kOffset = 7h;
  header(0, 30ms, kOffset);
  // Captured 5 ms before its due time, on the sender's clock; the way back takes as long.
  const Timestamp shown = clock_.show_time(due(0));
  EXPECT_EQ(clock_.delay(due(0) - 5ms, shown, 60ms), 5ms + 6 * kFrame + 30ms);
  EXPECT_EQ(clock_.delay(due(0) - 5ms, shown + 8ms, 0ms), 13ms + 6 * kFrame);
}

TEST_F(Clock, AnyTimesOfAPeerAreHarmless) {
  constexpr Duration kAbsurd = std::chrono::microseconds(std::int64_t{1} << 50);
  const Timestamp now(10h);
  for (const Timestamp peers : {Timestamp(0s), Timestamp(kAbsurd), Timestamp(0s)}) {
    clock_.on_header(peers, now);
    for (const Timestamp asked : {Timestamp(0s), Timestamp(kAbsurd)}) {
      EXPECT_LT(clock_.decode_time(asked), clock_.show_time(asked));
      (void)clock_.delay(asked, now, 1s);
    }
  }
}

}  // namespace
}  // namespace qvid::media
