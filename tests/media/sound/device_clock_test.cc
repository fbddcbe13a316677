// Shows that the times of a device's frames neither jitter nor drift, whatever its callbacks do.
#include "media/sound/device_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "media/sound/sound_block.h"

namespace qvid::media {
namespace {

constexpr Timestamp kDeviceBegins{1000s};

// A device of that rate error whose callbacks come late by up to `jitter`.
struct FakeDevice {
  double slow = 0;  // seconds per second
  Duration jitter{};
  std::mt19937 random{1};
  std::int64_t frames = 0;

  Timestamp truth(std::int64_t frame) const {
    return kDeviceBegins + from_seconds(to_seconds(sound_time(frame)) * (1 + slow));
  }
  void callback(DeviceClock& clock, Duration late = {}) {
    frames += 480;
    std::uniform_int_distribution<std::int64_t> chance(0, jitter.count());
    clock.on_frames(frames, truth(frames) + Duration(chance(random)) + late);
  }
};

TEST(DeviceClock, FollowsADeviceThatIsSlowWithoutItsJitter) {
  for (const double slow : {-0.0003, 0.0, 0.0005, 0.01}) {
    FakeDevice device{.slow = slow, .jitter = 8ms};
    DeviceClock clock;
    for (int i = 0; i < 3000; ++i) device.callback(clock);  // 30 s
    Duration least = 1s;
    Duration most = -1s;
    Timestamp before = clock.time_of(device.frames);
    for (int i = 0; i < 1000; ++i) {
      device.callback(clock);
      const Timestamp time = clock.time_of(device.frames);
      // From one callback to the next: 10 ms, as it should.
      EXPECT_NEAR(to_ms(time - before), 10 * (1 + slow), 0.15);
      before = time;
      const Duration error = time - device.truth(device.frames);
      least = std::min(least, error);
      most = std::max(most, error);
    }
    EXPECT_NEAR(clock.rate(), slow, 0.0005);
    EXPECT_GT(least, 2ms) << slow;  // the mean of what callbacks are late by is 4 ms
    EXPECT_LT(most, 6ms) << slow;
    EXPECT_EQ(clock.steps(), 0);
  }
}

TEST(DeviceClock, AStallWithABurstBehindItChangesNothing) {
  FakeDevice device;
  DeviceClock clock;
  for (int i = 0; i < 500; ++i) device.callback(clock);
  for (int late = 300; late > 0; late -= 10) device.callback(clock, late * 1ms);
  device.callback(clock);
  EXPECT_LT(std::abs(to_ms(clock.time_of(device.frames) - device.truth(device.frames))), 25.0);
  EXPECT_EQ(clock.steps(), 0);
  for (int i = 0; i < 1000; ++i) device.callback(clock);
  EXPECT_LT(std::abs(to_ms(clock.time_of(device.frames) - device.truth(device.frames))), 0.5);
}

TEST(DeviceClock, APauseThatIsNotMadeGoodIsAStep) {
  FakeDevice device;
  DeviceClock clock;
  for (int i = 0; i < 500; ++i) device.callback(clock);
  for (int i = 0; i < 60; ++i) device.callback(clock, 200ms);
  EXPECT_EQ(clock.steps(), 1);
  EXPECT_NEAR(to_ms(clock.time_of(device.frames) - device.truth(device.frames)), 200, 1);
}

TEST(DeviceClock, WhatComesTooEarlyIsBelievedAtOnce) {
  FakeDevice device;
  DeviceClock clock;
  for (int i = 0; i < 500; ++i) device.callback(clock);
  device.callback(clock, -40ms);
  EXPECT_EQ(clock.steps(), 1);
  EXPECT_EQ(clock.time_of(device.frames), device.truth(device.frames) - 40ms);
}

TEST(DeviceClock, TakesAnyTimes) {
  DeviceClock clock;
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {
    clock.on_frames(static_cast<std::int64_t>(random() % (1 << 24)),
                    Timestamp(Duration(static_cast<std::int64_t>(random() % (1ull << 50)))));
    EXPECT_LE(std::abs(clock.rate()), DeviceClock::kMaxRate);
  }
}

}  // namespace
}  // namespace qvid::media
