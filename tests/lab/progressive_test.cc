// A browser's way of playing a file over TCP, on arrivals made by hand.
#include "lab/bed/progressive.h"

#include <gtest/gtest.h>

#include "lab/bed/run_result.h"

namespace qvid::lab {
namespace {

// Frames of 1000 bytes, 30 a second: 3000 bytes a slot are exactly the video's rate.
StoredVideo video_of(std::size_t seconds) {
  return {
      .rate = {30, 1}, .layers = 2, .frame_bytes = std::vector<std::int64_t>(30 * seconds, 1000)};
}
Timestamp at(double seconds) { return Timestamp(from_seconds(seconds)); }
double seconds_of(const std::optional<Duration>& d) { return d ? to_seconds(*d) : -1; }

TEST(Arrivals, AreSpreadOverTheirSlot) {
  const std::vector<std::int64_t> slots{0, 2000, 0, 1000};
  const auto times = arrivals({.rate = {30, 1}, .frame_bytes = {500, 500, 1500, 500, 1}}, slots);
  ASSERT_EQ(times.size(), 5u);
  EXPECT_EQ(times[0], at(0.125));
  EXPECT_EQ(times[1], at(0.15));
  EXPECT_EQ(times[2], at(0.35));
  EXPECT_EQ(times[3], at(0.4));
  EXPECT_EQ(times[4], kNever);
}

TEST(Progressive, BeginsWhenTheReserveIsThere) {
  // Twice the rate: two seconds of video have come after one.
  const std::vector<std::int64_t> slots(200, 6000);
  const auto s = play_progressively(video_of(10), slots, at(0), at(20)).summary(at(20));
  EXPECT_NEAR(seconds_of(s.start_up), 1, 0.01);
  EXPECT_EQ(s.stalls, 0);
  EXPECT_EQ(s.pictures, 300);
  EXPECT_NEAR(to_seconds(s.played), 10, 0.01);
  EXPECT_EQ(s.switches, 0);
  EXPECT_NEAR(s.mean_level, 2, 1e-9);
}

TEST(Progressive, StartUpCountsFromTheRequest) {
  std::vector<std::int64_t> slots(200, 6000);
  std::fill(slots.begin(), slots.begin() + 30, 0);
  const auto s = play_progressively(video_of(10), slots, at(3), at(20)).summary(at(20));
  EXPECT_NEAR(seconds_of(s.start_up), 1, 0.01);
}

TEST(Progressive, WaitsForTheReserveAgain) {
  // A second at twice the rate, then half of it: 60 frames at 1 s, then 15 a second. It plays from
  // 1 s with frame k at 1 + k/30 s, which has come at 1 + (k - 60)/15 s: they meet at k = 120, 5 s.
  std::vector<std::int64_t> slots(600, 1500);
  std::fill(slots.begin(), slots.begin() + 10, 6000);
  const auto s = play_progressively(video_of(20), slots, at(0), at(15)).summary(at(15));
  EXPECT_EQ(s.stalls, 2);
  // Frames 120 to 179 are there at 9 s; it runs for 4 s, to 13 s, and stands still to the end.
  EXPECT_NEAR(to_seconds(s.stalled), 4 + 2, 0.2);
  EXPECT_NEAR(to_seconds(s.played), 8, 0.2);
}

TEST(Progressive, DoesNotWaitForMoreThanTheRest) {
  // 90 frames: the last ones come at half the rate.
  std::vector<std::int64_t> slots(100, 1500);
  const auto s = play_progressively(video_of(3), slots, at(0), at(10)).summary(at(10));
  EXPECT_EQ(s.pictures, 90);
  EXPECT_EQ(s.stalls, 0);  // begins at 4 s, and the last frame is there at 6 s, shown at 6.97 s
  EXPECT_NEAR(to_seconds(s.played), 3, 0.01);
}

TEST(Progressive, AShortVideoBeginsWhenItIsWhole) {
  const std::vector<std::int64_t> slots(100, 3000);
  const auto s = play_progressively(video_of(1), slots, at(0), at(10)).summary(at(10));
  EXPECT_NEAR(seconds_of(s.start_up), 1, 0.01);
  EXPECT_EQ(s.pictures, 30);
}

TEST(Progressive, WhereNothingComesItNeverBegins) {
  const auto s = play_progressively(video_of(5), {}, at(0), at(10)).summary(at(10));
  EXPECT_FALSE(s.start_up);
  EXPECT_EQ(s.pictures, 0);
  EXPECT_EQ(play_progressively({}, {}, at(0), at(10)).summary(at(10)).pictures, 0);
}

}  // namespace
}  // namespace qvid::lab
