// How much faster than usual a burst may leave.
#include "transport/control/peak_pace.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;
using qvid::operator""s;

TEST(PeakPace, IsFasterWhereBurstsMakeNoQueueAndFallsBackWhereTheyDo) {
  PeakPace peaks;
  Timestamp now(10s);
  EXPECT_DOUBLE_EQ(peaks.gain(), 1);
  bool backlog = false;
  const auto round = [&](Duration spread, bool proved) {
    now += 30ms;
    if (!backlog) peaks.on_free(now);
    peaks.on_round(spread, 10ms, proved, now);
    return peaks.gain();
  };
  EXPECT_DOUBLE_EQ(round(2ms, false), 1) << "a trickle shows nothing";
  EXPECT_DOUBLE_EQ(round(2ms, true), 1.25);
  for (int i = 0; i < 20; ++i) round(10ms, true);
  EXPECT_DOUBLE_EQ(peaks.gain(), PeakPace::kMost);
  EXPECT_DOUBLE_EQ(round(11ms, false), 0.7 * PeakPace::kMost);
  backlog = true;
  for (int i = 0; i < 20; ++i) round(2ms, true);
  EXPECT_DOUBLE_EQ(peaks.gain(), 1) << "no peak, but all that the path takes";
  backlog = false;
  for (int i = 0; i < 20; ++i) round(2ms, true);
  for (int i = 0; i < 20; ++i) round(50ms, true);
  EXPECT_DOUBLE_EQ(peaks.gain(), 1);
  for (int i = 0; i < 20; ++i) round(2ms, true);
  peaks.on_trouble(now);
  EXPECT_DOUBLE_EQ(peaks.gain(), 1);
  const Timestamp trouble = now;
  while (now < trouble + 4900ms) EXPECT_DOUBLE_EQ(round(2ms, true), 1);
  for (int i = 0; i < 10; ++i) round(2ms, true);
  EXPECT_GT(peaks.gain(), 1);
}

}  // namespace
}  // namespace paceline
