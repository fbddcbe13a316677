// Shows that the encoder's rate falls at once, rises in steps, rests where it fits, and follows the
// best viewer while the base follows the weakest.
#include "media/live/encoder_rate.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::media {
namespace {

using Reading = DeliveryMeter::Reading;

constexpr auto kHighest = DataRate::from_kbps(2500);
DataRate kbps(std::int64_t n) { return DataRate::from_kbps(n); }
Timestamp at(Duration d) { return Timestamp(1h) + d; }

// What a path of `capacity` shows of a video that has `rate`.
Reading reading(DataRate rate, DataRate capacity) {
  const double busy = static_cast<double>(rate.bps()) / static_cast<double>(capacity.bps());
  return {.rate = std::min(rate, capacity),
          .busy = std::min(1.0, busy),
          .capacity = capacity,
          .lost = busy > 1.2 ? 3 : 0};
}

struct Follower {
  ViewerRate viewer{kHighest};
  Timestamp now = at(0s);
  void step(DataRate capacity) {
    const Reading r = reading(viewer.rate(), capacity);
    viewer.on_reading(r, r, now);
    now += ViewerRate::kInterval;
  }
  void run(DataRate capacity, Duration time) {
    for (const Timestamp end = now + time; now < end;) step(capacity);
  }
};

TEST(ViewerRate, BeginsLowAndHasAFastPathWithinASecond) {
  Follower f;
  EXPECT_EQ(f.viewer.rate(), ViewerRate::kBegin);
  f.run(kbps(16'000), 1s);
  EXPECT_EQ(f.viewer.rate(), kHighest);
  EXPECT_EQ(ViewerRate(kbps(200)).rate(), kbps(200));
}

TEST(ViewerRate, FallsAtOnce) {
  Follower f;
  f.step(kbps(600));
  EXPECT_EQ(f.viewer.rate(), kbps(510));
}

// The transport's word needs no unit to be late first, and holds as long as what is measured.
TEST(ViewerRate, FallsAtOnceWhereThePathIsSaidToBeSlower) {
  Follower f;
  f.viewer.on_slowed(kbps(600), f.now);
  EXPECT_EQ(f.viewer.rate(), kbps(510));
  f.viewer.on_slowed(kbps(800), f.now);
  EXPECT_EQ(f.viewer.rate(), kbps(510));
  for (int i = 0; i < 3; ++i) f.step(kbps(4000));
  EXPECT_EQ(f.viewer.rate(), kbps(510));
  f.run(kbps(4000), 1500ms);
  EXPECT_EQ(f.viewer.rate(), kHighest);
}

TEST(ViewerRate, RestsWhereItFits) {
  Follower f;
  f.run(kbps(600), 1s);
  const DataRate rate = f.viewer.rate();
  f.run(kbps(600), 60s);
  EXPECT_EQ(f.viewer.rate(), rate);
}

TEST(ViewerRate, IsUpAgainWithinTwoSeconds) {
  Follower f;
  f.run(kbps(600), 15s);
  f.step(kbps(4000));
  EXPECT_LT(f.viewer.rate(), kbps(700));  // in steps
  f.run(kbps(4000), 1500ms);
  EXPECT_EQ(f.viewer.rate(), kHighest);
}

TEST(ViewerRate, WaitsAfterALoss) {
  Follower f;
  f.step(kbps(600));
  const DataRate rate = f.viewer.rate();
  f.run(kbps(4000), ViewerRate::kHold - ViewerRate::kInterval);
  EXPECT_EQ(f.viewer.rate(), rate);
  f.step(kbps(4000));
  EXPECT_GT(f.viewer.rate(), rate);
}

TEST(ViewerRate, APathThatHasStoppedHalvesItDownToTheLowest) {
  ViewerRate viewer(kHighest);
  const Reading stopped{.rate = {}, .busy = 1, .capacity = {}, .lost = 0};
  viewer.on_reading(stopped, stopped, at(0s));
  EXPECT_EQ(viewer.rate().bps(), ViewerRate::kBegin.bps() / 2);
  for (int i = 1; i < 30; ++i) viewer.on_reading(stopped, stopped, at(i * 100ms));
  EXPECT_EQ(viewer.rate(), ViewerRate::kLowest);
}

TEST(ViewerRate, NothingSentIsNoReasonToRise) {
  Follower f;
  f.run(kbps(600), 1s);
  const DataRate rate = f.viewer.rate();
  const Reading nothing{};
  for (int i = 0; i < 100; ++i) f.viewer.on_reading(nothing, nothing, at(1h));
  EXPECT_EQ(f.viewer.rate(), rate);
}

TEST(EncoderRate, FollowsTheBestViewerAndItsBaseTheWeakest) {
  EncoderRate rate(kHighest);
  const std::vector<DataRate> viewers{kbps(300), kbps(1800), kbps(900)};
  EXPECT_EQ(rate.rates(viewers),
            (EncoderRates{.total = kbps(1800), .base = kbps(150), .layers = 2}));
  EXPECT_EQ(rate.rates(std::vector{kbps(1800)}),
            (EncoderRates{.total = kbps(1800), .base = kbps(360), .layers = 2}));
}

TEST(EncoderRate, WithoutViewersItIsTheHighest) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates({}), (EncoderRates{.total = kHighest, .base = kbps(500), .layers = 2}));
}

TEST(EncoderRate, TheBaseIsNeverNothing) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates(std::vector{kbps(60), kbps(2500)}).base, kbps(40));
}

TEST(EncoderRate, ANarrowPathGetsTheBaseAlone) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates(std::vector{kbps(160)}).layers, 2);
  EXPECT_EQ(rate.rates(std::vector{kbps(140)}),
            (EncoderRates{.total = kbps(280), .base = kbps(140), .layers = 1}));
  EXPECT_EQ(rate.rates(std::vector{kbps(190)}).layers, 1);
  EXPECT_EQ(rate.rates(std::vector{kbps(210)}).layers, 2);
}

}  // namespace
}  // namespace qvid::media
