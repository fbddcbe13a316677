// Shows that the capacity of a path is seen while only a part of it is used, and by what.
#include "transport/rate/delivery_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace paceline {
namespace {

using namespace std::chrono_literals;
using qvid::ByteCount;
using qvid::DataRate;
using qvid::Duration;
using qvid::Timestamp;

constexpr Duration kFrame = 33'333'333ns;
constexpr Duration kRoundTrip = 30ms;

Timestamp at(Duration d) { return Timestamp(1h) + d; }

// Frames of one unit each, sent over a path of `capacity`, one after the other.
DeliveryMeter after_frames(int frames, ByteCount size, DataRate capacity, Duration round_trip) {
  DeliveryMeter meter;
  Timestamp free = at(0s);
  for (int n = 0; n < frames; ++n) {
    const Timestamp sent = at(n * kFrame);
    const auto message = meter.on_sent(size, sent);
    free = std::max(free, sent) + capacity.transfer_time(size);
    meter.on_ended(message, size, true, free + round_trip);
  }
  return meter;
}

class Capacities : public testing::TestWithParam<std::tuple<double, int>> {};

TEST_P(Capacities, IsSeenWhateverPartOfItIsUsed) {
  const auto [used, round_trip_ms] = GetParam();
  const Duration round_trip = std::chrono::milliseconds(round_trip_ms);
  const auto capacity = DataRate::from_kbps(4000);
  const ByteCount size =
      DataRate::from_kbps(static_cast<std::int64_t>(4000 * used)).bytes_in(kFrame);
  const auto reading = after_frames(30, size, capacity, round_trip)
                           .read(at(29 * kFrame) + round_trip, 400ms, round_trip);
  EXPECT_NEAR(reading.busy, used, 0.15);
  EXPECT_NEAR(reading.capacity.mbps(), 4, 1.0);
  EXPECT_NEAR(reading.rate.mbps(), 4 * used, 0.5);
  EXPECT_EQ(reading.lost, 0);
}
INSTANTIATE_TEST_SUITE_P(DeliveryMeter, Capacities,
                         testing::Combine(testing::Values(0.1, 0.3, 0.6, 0.9),
                                          testing::Values(1, 30, 200)));

TEST(DeliveryMeter, SaysNothingOfNothing) {
  const auto reading = DeliveryMeter().read(at(5s), 400ms, kRoundTrip);
  EXPECT_EQ(reading.capacity, DataRate());
  EXPECT_EQ(reading.busy, 0);
}

TEST(DeliveryMeter, APathThatHasStoppedIsBusy) {
  DeliveryMeter meter;
  meter.on_sent(ByteCount(1000), at(0s));
  EXPECT_NEAR(meter.read(at(400ms), 400ms, kRoundTrip).busy, 0.93, 0.01);
  EXPECT_EQ(meter.read(at(400ms), 400ms, kRoundTrip).rate, DataRate());
}

TEST(DeliveryMeter, WhatIsCancelledCountsByWhatWentOut) {
  DeliveryMeter meter;
  meter.on_ended(meter.on_sent(ByteCount(9000), at(0s)), ByteCount(5000), false, at(100ms));
  const auto reading = meter.read(at(200ms), 200ms, kRoundTrip);
  EXPECT_EQ(reading.lost, 1);
  EXPECT_EQ(reading.offered, ByteCount(9000));
  EXPECT_NEAR(reading.busy, 0.5, 0.001);
  EXPECT_NEAR(reading.capacity.kbps(), 400, 1);
}

TEST(DeliveryMeter, LayersOfAFrameAreNotCountedTwice) {
  DeliveryMeter meter;
  std::vector<DeliveryMeter::Ticket> layers;
  for (int layer = 0; layer < 4; ++layer) layers.push_back(meter.on_sent(ByteCount(1000), at(0s)));
  for (const auto layer : layers) meter.on_ended(layer, ByteCount(1000), true, at(130ms));
  const auto reading = meter.read(at(200ms), 200ms, kRoundTrip);
  EXPECT_NEAR(reading.busy, 0.5, 0.001);
  EXPECT_NEAR(reading.capacity.kbps(), 320, 1);
}

TEST(DeliveryMeter, ForgetsAndIsBounded) {
  DeliveryMeter meter = after_frames(30, ByteCount(1000), DataRate::from_kbps(4000), kRoundTrip);
  EXPECT_EQ(meter.read(at(10s), 400ms, kRoundTrip).rate, DataRate());
  const auto first = meter.on_sent(ByteCount(1000), at(0s));
  for (int n = 0; n < 10'000; ++n) meter.on_sent(ByteCount(1000), at(0s));
  meter.on_ended(first, ByteCount(1000), true, at(10ms));  // long forgotten
  EXPECT_EQ(meter.read(at(20ms), 400ms, kRoundTrip).rate, DataRate());
  meter.clear();
  EXPECT_EQ(meter.read(at(20ms), 400ms, kRoundTrip).busy, 0);
}

// Tickets of before a pause are of no message of after it.
TEST(DeliveryMeter, WhatEndsAfterAPauseIsOfBefore) {
  DeliveryMeter meter;
  const auto before = meter.on_sent(ByteCount(1000), at(0s));
  meter.clear();
  const auto after = meter.on_sent(ByteCount(2000), at(100ms));
  EXPECT_NE(before, after);
  meter.on_ended(before, ByteCount(1000), true, at(110ms));
  EXPECT_EQ(meter.read(at(120ms), 200ms, 0ms).rate, DataRate());
  meter.on_ended(after, ByteCount(2000), true, at(120ms));
  meter.on_ended(after, ByteCount(9000), false, at(130ms));  // has ended
  EXPECT_NEAR(meter.read(at(200ms), 200ms, 0ms).rate.kbps(), 80, 0.1);
}

}  // namespace
}  // namespace paceline
