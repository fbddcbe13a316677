#include "media/stored/play_speed.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

TEST(PlaySpeed, GoesByStepsAndStaysAtTheLast) {
  EXPECT_EQ(faster(1), 1.25);
  EXPECT_EQ(slower(1), 0.75);
  EXPECT_EQ(faster(2), 2);
  EXPECT_EQ(slower(0.5), 0.5);
  EXPECT_EQ(faster(1.1), 1.25) << "also from between";
  EXPECT_EQ(slower(1.1), 1);
}

TEST(PlaySpeed, AButtonComesToAllOfThem) {
  double speed = 1;
  std::size_t seen = 0;
  do {
    speed = next_speed(speed);
    ++seen;
  } while (speed != 1);
  EXPECT_EQ(seen, kPlaySpeeds.size());
}

TEST(PlaySpeed, TimeAndVideo) {
  EXPECT_EQ(played_in(100ms, 1.5), 150ms);
  EXPECT_EQ(time_to_play(150ms, 1.5), 100ms);
  EXPECT_EQ(played_in(100ms, 0), 0ms);
}

}  // namespace
}  // namespace qvid::media
