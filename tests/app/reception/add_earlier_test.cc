#include "app/reception/add_earlier.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

using namespace std::chrono_literals;

media::PlaybackStats shown(std::int64_t frames, Duration first, Duration last) {
  media::PlaybackStats stats;
  stats.frames_shown = frames;
  stats.first_shown = Timestamp(first);
  stats.last_shown = Timestamp(last);
  return stats;
}

TEST(AddEarlier, CountsGoOnAndTheOutageIsAGap) {
  auto earlier = shown(10, 1s, 2s);
  earlier.frames_lost = 3;
  earlier.longest_gap = 100ms;
  auto now = shown(20, 5s, 7s);
  now.frames_lost = 1;
  add_earlier(now, earlier);
  EXPECT_EQ(now.frames_shown, 30);
  EXPECT_EQ(now.frames_lost, 4);
  EXPECT_EQ(now.first_shown, Timestamp(1s));
  EXPECT_EQ(now.last_shown, Timestamp(7s));
  EXPECT_EQ(now.longest_gap, 3s);
  EXPECT_EQ(now.freezes, 1);
}

TEST(AddEarlier, BeforeTheFirstPictureThereIsNoGapYet) {
  media::PlaybackStats now;
  add_earlier(now, shown(10, 1s, 2s));
  EXPECT_EQ(now.frames_shown, 10);
  EXPECT_EQ(now.last_shown, Timestamp(2s));
  EXPECT_EQ(now.longest_gap, 0s);
  EXPECT_EQ(now.freezes, 0);
}

}  // namespace
}  // namespace qvid::app
