// What a viewer saw, of frames made by hand.
#include "lab/experiments/playing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace qvid::lab {
namespace {

// 30 frames a second from `start` on; those for which `layer` says -1 are lost.
template <class Layer>
PlayerResult player(int frames, Layer layer, Duration start = {}) {
  PlayerResult result;
  result.start = Timestamp(start);
  for (int i = 0; i < frames; ++i) {
    const double at = i * 1000.0 / 30;
    PlayedFrame frame{.number = i, .captured_ms = at + 5e6};
    if (const int shown = layer(i); shown >= 0) {
      frame.shown_ms = at + 100;
      frame.layer = shown;
      frame.delay_ms = 200 + i;
    }
    result.frames.push_back(frame);
  }
  return result;
}
int all_layers(int /*frame*/) { return 1; }

TEST(Instants, CountFromTheRunsBegin) {
  const auto frames = instants_of(player(31, all_layers, 2s));
  ASSERT_EQ(frames.size(), 31u);
  EXPECT_NEAR(frames[0].at, 2.1, 1e-9);
  EXPECT_NEAR(frames[30].at, 3.1, 1e-9);
  EXPECT_EQ(frames[30].delay_ms, 230);
}

TEST(Instants, OfLostFramesAreWhereTheyWereDue) {
  const auto frames = instants_of(player(10, [](int i) { return i < 2 || i == 5 ? -1 : 0; }));
  ASSERT_EQ(frames.size(), 8u);  // before the first one shown, nobody was watching
  EXPECT_FALSE(frames[3].shown);
  EXPECT_NEAR(frames[3].at, 0.1 + 5 / 30.0, 1e-9);
}

TEST(Instants, AreInTheOrderOfTime) {
  PlayerResult p = player(3, all_layers);
  std::swap(p.frames[0], p.frames[2]);
  const auto frames = instants_of(p);
  EXPECT_LT(frames[0].at, frames[1].at);
  EXPECT_LT(frames[1].at, frames[2].at);
}

TEST(Smoothness, OfAnEvenVideo) {
  const auto s = smoothness(instants_of(player(300, all_layers)), {1, 9});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->freezes, 0u);
  EXPECT_NEAR(s->longest_gap_ms, 1000.0 / 30, 1e-6);
  EXPECT_NEAR(s->frames_a_second, 30, 0.2);
  EXPECT_EQ(s->lost, 0u);
}

TEST(Smoothness, CountsFreezes) {
  // 7 frames lost: 8 frame times, 267 ms; 6 lost: 233 ms.
  const auto s = smoothness(
      instants_of(player(
          300, [](int i) { return (i >= 100 && i < 107) || (i >= 200 && i < 206) ? -1 : 0; })),
      {1, 9});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->freezes, 1u);
  EXPECT_NEAR(s->longest_gap_ms, 8000.0 / 30, 1e-6);
  EXPECT_EQ(s->lost, 13u);
}

TEST(Smoothness, AVideoThatStopsHasAGapToTheEnd) {
  const auto s = smoothness(instants_of(player(150, all_layers)), {1, 10});
  ASSERT_TRUE(s);
  EXPECT_NEAR(s->longest_gap_ms, 1e3 * (10 - 0.1 - 149 / 30.0), 1e-6);
  EXPECT_EQ(s->freezes, 1u);
  EXPECT_LT(s->frames_a_second, 15);
}

TEST(Smoothness, AGapThatBeganBeforeTheSpanCountsFromItsBegin) {
  const auto s = smoothness(
      instants_of(player(300, [](int i) { return i >= 30 && i < 90 ? -1 : 0; })), {2, 9});
  ASSERT_TRUE(s);
  EXPECT_NEAR(s->longest_gap_ms, 1e3 * (0.1 + 3 - 2), 1e-6);
}

TEST(Smoothness, OfNothingIsNone) {
  EXPECT_FALSE(smoothness({}, {0, 10}));
  EXPECT_FALSE(smoothness(instants_of(player(30, all_layers, 20s)), {0, 10}));
}

TEST(Quality, CountsLostFramesAsNotFull) {
  const auto frames = instants_of(player(300, [](int i) { return i % 3 - 1; }));
  EXPECT_NEAR(share_full(frames, 1, {{1, 5}, {6, 9}}), 1.0 / 3, 0.01);
  EXPECT_TRUE(std::isnan(share_full(frames, 1, {{50, 60}})));
}

TEST(Quality, IsBackWithTheFirstFrameOfAGoodSecond) {
  // From frame 120 (4.1 s) all but every tenth are full: 27 of 30; from 180 (6.1 s) all are.
  const auto frames = instants_of(player(300, [](int i) {
    if (i < 120) return 0;
    return i < 180 && i % 10 == 0 ? 0 : 1;
  }));
  // The second from frame 151 on is the first with only two that are not full.
  EXPECT_NEAR(until_full(frames, 1, 28, {3, 9}), 0.1 + 151 / 30.0 - 3, 1e-6);
}

TEST(Quality, IsNotBackWhereTheSecondDoesNotEndInTheSpan) {
  const auto frames = instants_of(player(300, [](int i) { return i < 120 ? 0 : 1; }));
  EXPECT_NEAR(until_full(frames, 1, 28, {3, 5.2}), 1.1, 1e-6);
  EXPECT_TRUE(std::isinf(until_full(frames, 1, 28, {3, 5.0})));
  EXPECT_TRUE(std::isinf(until_full(frames, 2, 28, {3, 9})));
}

TEST(Delays, AreOfFramesShownInTheSpans) {
  const auto frames = instants_of(player(300, [](int i) { return i == 31 ? -1 : 0; }));
  const auto delays = delays_in(frames, {{1.09, 1.2}});
  EXPECT_EQ(delays, (std::vector<double>{230, 232}));
}

TEST(Drawings, HaveAPointAStep) {
  const auto frames = instants_of(player(
      60, [](int i) { return i < 30 ? 1 : -1; }, 900ms));
  const auto layers = layers_over_time(frames, 1);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[0], std::pair(1.5, 2.0));
  EXPECT_EQ(layers[1], std::pair(2.5, 0.0));
  const auto delay = delay_over_time(frames, 1);
  ASSERT_EQ(delay.size(), 1u);  // nothing was shown in the other
  EXPECT_EQ(delay[0].second, 229);
}

}  // namespace
}  // namespace qvid::lab
