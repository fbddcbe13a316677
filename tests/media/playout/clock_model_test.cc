// Shows that offset and drift of the server's timeline are found from arrivals, and which changes
// of them count when. 25 frames a second make a frame 40 ms.
#include "media/playout/clock_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace qvid::media::clock_model_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr Duration kSlack = 120ms;

class Model : public ::testing::Test {
 protected:
  static Timestamp due(std::int64_t n) { return Timestamp(100h) + n * kFrame; }
  // Frame n leaves a frame time after its due time and takes `transit`, as our clock counts it.
  Duration header(std::int64_t n, Duration transit) {
    return model_.on_header(due(n), due(n) + kFrame + transit, kSlack);
  }
  // Headers of that transit until the model says `wanted`; how long that took.
  Duration time_until(Duration wanted, Duration transit) {
    const std::int64_t began = next_;
    while (next_ < began + 1000 && model_.offset(due(next_)) != wanted) header(next_++, transit);
    return (next_ - began) * kFrame;
  }
  void headers(Duration transit, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) header(next_++, transit);
  }

  ClockModel model_{kRate};
  std::int64_t next_ = 0;
};

TEST_F(Model, IsTheEarliestArrival) {
  std::mt19937 random(3);
  Duration least = 1h;
  for (std::int64_t n = 0; n < 200; ++n) {
    const Duration taken = 20ms + static_cast<int>(random() % 60'000) * 1us;
    least = std::min(least, taken);
    header(n, taken);
    EXPECT_EQ(model_.offset(due(n)), least);
  }
}

TEST_F(Model, FindsTheDriftUnderJitter) {
  for (const double ppm : {-200.0, 0.0, 30.0, 200.0}) {
    SCOPED_TRACE(ppm);
    model_ = ClockModel(kRate);
    std::mt19937 random(4);
    std::exponential_distribution<double> jitter(1 / 0.010);
    for (std::int64_t n = 0; n < 180 * 25; ++n) {
      const Duration drifted = from_seconds(to_seconds(n * kFrame) * ppm * 1e-6);
      header(n, 20ms + drifted + from_seconds(jitter(random)));
    }
    EXPECT_NEAR(model_.rate() * 1e6, ppm, 10.0);
    EXPECT_EQ(model_.steps(), 0);
  }
}

TEST_F(Model, TheRateStaysWithinWhatClocksDo) {
  for (const int sign : {1, -1}) {
    model_ = ClockModel(kRate);
    for (std::int64_t n = 0; n < 180 * 25; ++n) {  // 700 ppm
      header(n, 20ms + n * sign * 28us);
      ASSERT_LT(std::chrono::abs(model_.offset(due(n)) - (20ms + n * sign * 28us)), 10ms) << n;
    }
    EXPECT_DOUBLE_EQ(model_.rate(), sign * ClockModel::kMaxRate);
  }
}

TEST_F(Model, AShorterRouteCountsAtOnce) {
  headers(80ms, 100);
  EXPECT_EQ(time_until(30ms, 30ms), kFrame);
  EXPECT_EQ(model_.steps(), 0);
}

TEST_F(Model, ALongerRouteCountsAfterASecond) {
  headers(30ms, 100);
  EXPECT_LE(time_until(110ms, 110ms), 1500ms);
  EXPECT_EQ(model_.steps(), 0);
}

TEST_F(Model, ARiseOfLessThanHalfAFrameCountsOnceTheMemoryIsOver) {
  headers(30ms, 400);
  const Duration taken = time_until(45ms, 45ms);
  EXPECT_GT(taken, 9s);
  EXPECT_LE(taken, 12s);
}

TEST_F(Model, AQueueThatGrowsAndShrinksDoesNotCount) {
  headers(30ms, 400);
  for (int top : {150, 300, 450}) {
    for (int i = 0; i <= 75; ++i) {  // three seconds
      const int queue = top * (i < 38 ? i : 75 - i) / 38;
      EXPECT_EQ(header(next_++, 30ms + queue * 1ms), 0ns);
      ASSERT_EQ(model_.offset(due(next_)), 30ms) << top << " " << i;
    }
    headers(30ms, 50);
  }
}

TEST_F(Model, AWildQueueCountsAfterFourSecondsIfNothingIsInTimeElseAfterTen) {
  for (const bool in_time : {false, true}) {
    SCOPED_TRACE(in_time);
    model_ = ClockModel(kRate);
    next_ = 0;
    headers(30ms, 400);
    const std::int64_t began = next_;
    const Duration least = in_time ? 80ms : 200ms;
    while (model_.offset(due(next_)) == 30ms && next_ < began + 1000) {
      const Duration wave = next_ / 14 % 2 == 0 ? 0ms : 90ms;  // slots of unlike least
      header(next_++, least + wave);
    }
    const Duration taken = (next_ - began) * kFrame;
    EXPECT_GE(taken, in_time ? 9s : 3500ms);
    EXPECT_LE(taken, in_time ? 12s : 5s);
    EXPECT_GE(model_.offset(due(next_)), least);
  }
}

TEST_F(Model, StepsOfEitherSideAreTakenAndCounted) {
  for (const Duration step : {-5h, -1h, 5h}) {
    SCOPED_TRACE(to_seconds(step));
    model_ = ClockModel(kRate);
    next_ = 0;
    headers(30ms, 400);
    Duration at_once{};
    const std::int64_t began = next_;
    while (model_.offset(due(next_)) == 30ms) at_once += header(next_++, 30ms + step);
    EXPECT_EQ(at_once, step);
    EXPECT_EQ(model_.offset(due(next_)), 30ms + step);
    EXPECT_EQ(model_.steps(), 1);
    EXPECT_LE((next_ - began) * kFrame, step < 0h ? kFrame : 1500ms);
  }
}

TEST_F(Model, SilenceIsNoEvidence) {
  headers(30ms, 400);
  next_ += 15'000;                // ten minutes
  for (int i = 0; i < 10; ++i) {  // what lay in the socket comes first, late
    EXPECT_EQ(header(next_++, 70ms), 0ns);
    EXPECT_EQ(model_.offset(due(next_)), 30ms);
  }
}

TEST_F(Model, AnyTimesOfAPeerAreHarmless) {
  constexpr Duration kAbsurd = std::chrono::microseconds(std::int64_t{1} << 50);
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    const Timestamp peers = random() % 2 == 0 ? Timestamp(0s) : Timestamp(kAbsurd);
    model_.on_header(peers, Timestamp(10h) + i * 20ms, kSlack);
    (void)model_.offset(Timestamp(0s));
    (void)model_.offset(Timestamp(kAbsurd));
    EXPECT_LE(std::abs(model_.rate()), ClockModel::kMaxRate);
  }
}

}  // namespace
}  // namespace qvid::media::clock_model_test
