// Shows that what was shown late moves the playout clock, no further than the deadline, and that it
// comes back evenly.
#include <gtest/gtest.h>

#include "media/playout/playout_clock.h"

namespace qvid::media::late_frame_test {
namespace {

constexpr FrameRate kRate{25, 1};
constexpr Duration kFrame = 40ms;
constexpr double kSlew = 0.05;
const Timestamp kFirst(100h);

// What was seen late keeps its distance, and the delay comes back at the slew.
TEST(PlayoutClock, AFrameShownLateMovesWhatIsBehindIt) {
  PlayoutClock clock(kRate, kSlew);
  clock.set_target(20ms, 150ms, {});
  Timestamp due = kFirst;
  const auto next = [&] {
    due += kFrame;
    clock.on_header(due, due, due + kFrame + 1h);
  };
  for (int i = 0; i < 10; ++i) next();
  const auto delay = [&](Timestamp captured) { return clock.show_time(captured) - captured - 1h; };
  EXPECT_EQ(delay(due), 20ms);
  clock.on_shown_late(due, clock.show_time(due) + 60ms);
  EXPECT_EQ(delay(due), 80ms);
  EXPECT_EQ(delay(due + kFrame), 80ms - from_seconds(kSlew * to_seconds(kFrame)));
  clock.on_shown_late(due, clock.show_time(due) + 10s);
  EXPECT_EQ(delay(due), 150ms) << "no later than anything is in time";
  for (int i = 0; i < 100; ++i) next();
  EXPECT_EQ(delay(due), 20ms);
  clock.on_shown_late(due, clock.show_time(due) - 10ms);
  EXPECT_EQ(delay(due), 20ms) << "early is not late";
}

// Behind a gap nothing is kept of what was late; but a target that has just grown adds nothing to it.
TEST(PlayoutClock, WhatEndsAGapIsNoLaterForIt) {
  PlayoutClock clock(kRate, kSlew);
  clock.set_target(20ms, 150ms, {});
  for (int i = 0; i < 10; ++i) {
    const Timestamp due = kFirst + i * kFrame;
    clock.on_header(due, due, due + kFrame + 1h);
  }
  const Timestamp last = kFirst + 9 * kFrame;
  const auto delay = [&](Timestamp captured) { return clock.show_time(captured) - captured - 1h; };
  clock.on_shown_late(last, clock.show_time(last) + 60ms);
  clock.on_gap_ends(last + 5 * kFrame);
  EXPECT_EQ(delay(last + 5 * kFrame), 20ms);
  clock.set_target(100ms, 150ms, last + 5 * kFrame + 1h + 20ms);
  const Duration before = delay(last + 10 * kFrame);
  EXPECT_LT(before, 100ms);
  clock.on_gap_ends(last + 10 * kFrame);
  EXPECT_EQ(delay(last + 10 * kFrame), before);
}

}  // namespace
}  // namespace qvid::media::late_frame_test
