#include "media/source/frame_timeline.h"

#include <gtest/gtest.h>

#include <optional>

namespace qvid::media {
namespace {

class Timeline : public ::testing::Test {
 protected:
  FrameTimeline timeline_{FrameRate{10, 1}};
};

TEST_F(Timeline, FollowsTimestampsFromTheFirstOn) {
  EXPECT_EQ(timeline_.place(5s), 0s);
  EXPECT_EQ(timeline_.place(5s + 40ms), 40ms);
  EXPECT_EQ(timeline_.place(5s + 70ms), 70ms);
}

TEST_F(Timeline, GoesOnAtTheNominalRateWithoutThem) {
  EXPECT_EQ(timeline_.place(std::nullopt), 0s);
  EXPECT_EQ(timeline_.place(std::nullopt), 100ms);
  EXPECT_EQ(timeline_.place(7s), 200ms);
  EXPECT_EQ(timeline_.place(7s + 30ms), 230ms);
}

TEST_F(Timeline, NeverGoesBackOrFarAhead) {
  EXPECT_EQ(timeline_.place(1s), 0s);
  EXPECT_EQ(timeline_.place(1s), 100ms);
  EXPECT_EQ(timeline_.place(500ms), 200ms);
  EXPECT_EQ(timeline_.place(540ms), 240ms);
  EXPECT_EQ(timeline_.place(5h), 340ms);
  EXPECT_EQ(timeline_.place(5h + 50ms), 390ms);
  EXPECT_EQ(timeline_.place(Duration::max()), 490ms);
  EXPECT_EQ(timeline_.place(Duration::min()), 590ms);
}

TEST_F(Timeline, KeepsGapsAsLongAsItIsTold) {
  FrameTimeline timeline({10, 1}, 10min);
  EXPECT_EQ(timeline.place(1s), 0s);
  EXPECT_EQ(timeline.place(10min), 10min - 1s);
  EXPECT_EQ(timeline.place(20min + 1s), 10min - 1s + 100ms);
}

TEST_F(Timeline, ARestartFollowsAfterOneFrameTime) {
  EXPECT_EQ(timeline_.place(0s), 0s);
  EXPECT_EQ(timeline_.place(5s), 5s);
  timeline_.restart();
  EXPECT_EQ(timeline_.place(8s), 5s + 100ms);
  EXPECT_EQ(timeline_.place(8s + 40ms), 5s + 140ms);
}

}  // namespace
}  // namespace qvid::media
