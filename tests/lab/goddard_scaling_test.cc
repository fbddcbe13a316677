// The rules by which Goddard's client picks its scale, each by itself, in virtual time.
#include "lab/bed/goddard_scaling.h"

#include <gtest/gtest.h>

namespace qvid::lab {
namespace {

constexpr ByteCount kBytes = 4000_B;

DataRate kbps(std::int64_t value) { return DataRate::from_kbps(value); }

// Frames 20 times a second, of which some are lost.
struct GoddardStream : testing::Test {
  static constexpr Duration kInterval = 50ms;

  void begin(DataRate capacity, bool by_losses = true) {
    scaling = GoddardScaling({}, by_losses);
    scaling.begin(capacity, now);
  }
  // One in `nth` of the frames is lost; 0: none.
  void stream(Duration time, std::uint32_t nth) {
    for (const Timestamp end = now + time; now < end;) {
      now += kInterval;
      const std::uint32_t n = number++;
      if (nth > 0 && n % nth == nth - 1) continue;
      changes += scaling.on_frame(n, kBytes, now);
    }
  }

  GoddardScaling scaling{{}, true};
  Timestamp now{1000s};
  std::uint32_t number = 0;
  int changes = 0;
};

TEST(GoddardScales, HaveTheThesissRates) {
  const std::array<std::int64_t, 7> rates = {80, 120, 240, 320, 640, 960, 1920};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    EXPECT_NEAR(kGoddardScales[i].bitrate().kbps(), static_cast<double>(rates[i]), 0.1) << i;
  }
}

TEST_F(GoddardStream, TheFirstScaleIsTheLargestBelowTheCapacity) {
  begin(kbps(750));
  EXPECT_EQ(scaling.scale(), 4);
  begin(kbps(640));
  EXPECT_EQ(scaling.scale(), 3) << "below, not at it";
  begin(kbps(100'000));
  EXPECT_EQ(scaling.scale(), 6);
  begin(kbps(10));
  EXPECT_EQ(scaling.scale(), 0);
}

TEST_F(GoddardStream, GoesDownOneWhereMoreThanATwentiethIsLost) {
  begin(kbps(2000));
  stream(4900ms, 10);
  EXPECT_EQ(scaling.scale(), 6) << "not before five seconds";
  stream(300ms, 10);
  EXPECT_EQ(scaling.scale(), 5);
  stream(4500ms, 10);
  EXPECT_EQ(scaling.scale(), 5) << "one at a time";
  stream(700ms, 10);
  EXPECT_EQ(scaling.scale(), 4);
  EXPECT_EQ(changes, 2);
}

TEST_F(GoddardStream, StaysWhereLessIsLost) {
  begin(kbps(2000));
  stream(50s, 25);
  EXPECT_EQ(scaling.scale(), 6);
}

TEST_F(GoddardStream, LossesOfLongAgoDoNotCount) {
  begin(kbps(2000));
  stream(5100ms, 10);
  ASSERT_EQ(scaling.scale(), 5);
  stream(30s, 0);
  EXPECT_EQ(scaling.scale(), 5);
}

TEST_F(GoddardStream, TheLowestStays) {
  begin(kbps(90));
  stream(60s, 3);
  EXPECT_EQ(scaling.scale(), 0);
  EXPECT_EQ(changes, 0);
}

TEST_F(GoddardStream, GoesUpOneAfterAGoodMinute) {
  begin(kbps(2000));
  stream(6s, 10);
  ASSERT_EQ(scaling.scale(), 5);
  stream(58s, 0);
  EXPECT_EQ(scaling.scale(), 5);
  stream(3s, 0);
  EXPECT_EQ(scaling.scale(), 6);
}

TEST_F(GoddardStream, StaysWhereOneInAHundredIsLost) {
  begin(kbps(2000));
  stream(6s, 10);
  ASSERT_EQ(scaling.scale(), 5);
  stream(200s, 50);
  EXPECT_EQ(scaling.scale(), 5);
}

TEST_F(GoddardStream, GoesNotUpOverTheCapacity) {
  begin(kbps(700));
  stream(200s, 0);
  EXPECT_EQ(scaling.scale(), 4);
}

TEST_F(GoddardStream, RebufferingPicksTheLargestBelowWhatWasReceived) {
  begin(kbps(2000));
  stream(10s, 0);  // 640 kbit/s
  scaling.on_rebuffering(now);
  EXPECT_EQ(scaling.scale(), 3);
  scaling.on_rebuffering(now + 10s);  // nothing came
  EXPECT_EQ(scaling.scale(), 0);
}

TEST_F(GoddardStream, WhatRanDryIsNotTriedAgainUntilThreeMinutesWentWell) {
  begin(kbps(2500));
  stream(10s, 0);  // 640 kbit/s of scale 6
  scaling.on_rebuffering(now);
  EXPECT_EQ(scaling.limit(), 5);
  ASSERT_EQ(scaling.scale(), 3);
  stream(121s, 0);
  EXPECT_EQ(scaling.scale(), 5);
  stream(55s, 0);
  EXPECT_EQ(scaling.limit(), 5);
  stream(10s, 0);  // three minutes are over, and the last decision is a minute old
  EXPECT_EQ(scaling.limit(), 6);
  EXPECT_EQ(scaling.scale(), 6);
}

TEST_F(GoddardStream, AFrameThatComesAfterAllWasNotLost) {
  begin(kbps(2000));
  for (std::uint32_t n = 0; n < 400; n += 2) {  // each two in the wrong order
    now += 2 * kInterval;
    changes += scaling.on_frame(n + 1, kBytes, now);
    changes += scaling.on_frame(n, kBytes, now);
    changes += scaling.on_frame(n, kBytes, now);
  }
  EXPECT_EQ(changes, 0);
}

TEST_F(GoddardStream, OverTcpOnlyRebufferingCounts) {
  begin(kbps(2000), false);
  stream(10s, 0);
  scaling.on_rebuffering(now);
  ASSERT_EQ(scaling.scale(), 3);
  stream(400s, 0);
  EXPECT_EQ(scaling.scale(), 3);
}

}  // namespace
}  // namespace qvid::lab
