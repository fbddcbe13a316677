// Shows that percentiles, means and shares are those of what was counted, and that a recent sum
// forgets after two seconds.
#include "media/playout/playback_stats.h"

#include <gtest/gtest.h>

#include "media/picture/latest_frame.h"
#include "media/playout/recent_sum.h"

namespace qvid::media {
namespace {

TEST(PlaybackStats, MeansAndSharesAreZeroWithoutAnything) {
  const PlaybackStats stats;
  EXPECT_EQ(stats.mean_fps(), 0.0);
  EXPECT_EQ(stats.missing_share(), 0.0);
  EXPECT_EQ(stats.units_per_frame(), 0.0);
}

TEST(PlaybackStats, MeansAndSharesAreOfWhatWasCounted) {
  PlaybackStats stats;
  stats.frames_shown = 31;
  stats.frames_lost = 9;
  stats.frames_due = 40;
  stats.units_announced = 80;
  stats.units_received = 60;
  stats.last_shown = stats.first_shown + 1s;
  EXPECT_DOUBLE_EQ(stats.mean_fps(), 30.0);
  EXPECT_DOUBLE_EQ(stats.missing_share(), 0.25);
  EXPECT_DOUBLE_EQ(stats.units_per_frame(), 1.5);
}

TEST(RecentSum, IsTheRateOfTheLastTwoSeconds) {
  RecentSum sum;
  Timestamp now(1h);
  for (int i = 0; i < 1000; ++i) sum.add(3, now += 10ms);
  EXPECT_NEAR(sum.per_second(now), 300.0, 0.5);
  EXPECT_NEAR(sum.per_second(now + 1s), 150.0, 20.0);
  EXPECT_EQ(sum.per_second(now + 2200ms), 0.0);
  EXPECT_EQ(sum.per_second(now + 1h), 0.0);
}

TEST(RecentSum, StartsAgainAfterAGap) {
  RecentSum sum;
  sum.add(1000, Timestamp(10s));
  sum.add(10, Timestamp(10s + 2100ms));  // the same slot, one turn later
  EXPECT_DOUBLE_EQ(sum.per_second(Timestamp(10s + 2200ms)), 5.0);
}

TEST(Latest, KeepsTheNewest) {
  Latest<int> latest;
  EXPECT_FALSE(latest.take());
  EXPECT_FALSE(latest.put(1));
  EXPECT_TRUE(latest.put(2));
  EXPECT_EQ(latest.take(), 2);
  EXPECT_FALSE(latest.take());
  EXPECT_FALSE(latest.put(3));
}

}  // namespace
}  // namespace qvid::media
