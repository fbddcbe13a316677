// Who shares the line, told from queues, losses and dips.
#include <gtest/gtest.h>

#include <vector>

#include "transport/control/competitor_detector.h"

namespace paceline::competitor_detector_test {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;
using qvid::operator""s;
using Verdict = CompetitorDetector::Verdict;

class Excess : public testing::Test {
 protected:
  // Rounds of 50 ms with this queue, until a verdict.
  Verdict rounds(Duration queue, Duration time, Duration swing = {}) {
    const Timestamp end = now + time;
    for (int i = 0; now < end; ++i, now += 50ms) {
      const Duration least = queue + i % 2 * swing;
      const Verdict v = detector.on_round({.base = 30ms,
                                           .queue = least,
                                           .longest = least,
                                           .aim = 26ms,
                                           .rtt = 50ms,
                                           .window = 2 * under_way,
                                           .under_way = under_way},
                                          now);
      if (v != Verdict::kNone) return v;
    }
    return Verdict::kNone;
  }
  void dip(Duration left, Duration usual, bool base_known, Duration spread = {}) {
    detector.on_dip({.low = 50ms + left,
                     .left = left,
                     .usual = usual,
                     .spread = spread,
                     .threshold = 26ms,
                     .base_known = base_known});
  }
  CompetitorDetector detector;
  double under_way = 10'000;
  Timestamp now{100s};
};

// CUBIC fills a short queue of a fast line so.
TEST_F(Excess, WhoGaveWayBitByBitRemembersWhatItHad) {
  rounds(10ms, 10s);
  for (under_way = 9'000; under_way > 500; under_way -= 1'000) rounds(25ms, 500ms);
  rounds(60ms, 100ms);
  EXPECT_TRUE(detector.unanswered());
  EXPECT_GT(detector.under_way_before(), 2'500);
  EXPECT_LT(detector.under_way_before(), 5'000);
}

TEST_F(Excess, ACrowdThatHasDoubledIsAsUsual) {
  rounds(10ms, 10s);
  under_way = 5'000;
  rounds(25ms, 200ms);
  rounds(60ms, 100ms);
  EXPECT_FALSE(detector.unanswered());
  EXPECT_EQ(detector.under_way_before(), 5'000);
}

TEST_F(Excess, WhereLessIsSentTheQueueTellsWhoseItIs) {
  rounds(10ms, 1s);
  rounds(100ms, 200ms);
  EXPECT_FALSE(detector.unanswered()) << "as much is sent";
  under_way = 4'000;
  rounds(100ms, 50ms);
  EXPECT_FALSE(detector.unanswered()) << "what is measured was sent before";
  rounds(100ms, 50ms);
  EXPECT_TRUE(detector.unanswered());
  rounds(40ms, 50ms);  // of 130 ms two fifths and a base of 30 would be 22
  EXPECT_FALSE(detector.unanswered()) << "it was the own";
  EXPECT_EQ(detector.under_way_before(), 10'000);
  EXPECT_EQ(detector.window_before(), 20'000);
  // Another excess without a quiet round between: of the longest queue that there was.
  ASSERT_EQ(rounds(100ms, 3s, 5ms), Verdict::kTrial);
  rounds(56ms, 300ms);
  EXPECT_FALSE(detector.unanswered()) << "it fell as it would if it were the own";
  detector.on_new_socket(4'000);
  rounds(100ms, 500ms);
  EXPECT_FALSE(detector.unanswered()) << "what another path took says nothing";
}

TEST_F(Excess, OfTwoSecondsAsksForATrial) {
  EXPECT_EQ(rounds(30ms, 5s, 5ms), Verdict::kNone);
  EXPECT_EQ(rounds(50ms, 1900ms, 5ms), Verdict::kNone);
  const Timestamp begin = now - 1900ms;
  EXPECT_EQ(rounds(50ms, 200ms, 5ms), Verdict::kTrial);
  EXPECT_EQ(detector.began(), begin);
}

TEST_F(Excess, ThatStaysLevelIsALongerRoute) {
  const Timestamp begin = now;
  EXPECT_EQ(rounds(50ms, 10s, 1ms), Verdict::kLongerRoute);
  EXPECT_GE(now - begin, 6s);
  EXPECT_EQ(detector.longer_route(), 80ms);
}

TEST_F(Excess, LevelButWithALossAsksForATrial) {
  rounds(50ms, 1s);
  detector.on_loss(true, 5s, now);
  EXPECT_EQ(rounds(50ms, 2s), Verdict::kTrial);
}

TEST_F(Excess, ATrialCountsTwiceOrWithOtherSigns) {
  const Duration usual = 55ms, aim = 26ms;
  EXPECT_FALSE(detector.judge(50ms, usual, aim));
  EXPECT_TRUE(detector.judge(50ms, usual, aim));
  detector.reset(5);
  EXPECT_FALSE(detector.judge(50ms, usual, aim));
  EXPECT_FALSE(detector.judge(5ms, usual, aim));  // our kind gave way
  EXPECT_FALSE(detector.judge(50ms, usual, aim));
  detector.reset(5);
  EXPECT_TRUE(detector.judge(100ms, usual, aim));  // our kind makes no such queue
  detector.reset(5);
  detector.on_loss(true, 5s, now);
  EXPECT_TRUE(detector.judge(50ms, usual, aim));
}

// The other's queue is shorter where the trial meets its loss.
TEST_F(Excess, ATrialThatLeavesAPartCountsHalf) {
  const Duration usual = 55ms, aim = 26ms;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(detector.judge(20ms, usual, aim));
  EXPECT_TRUE(detector.judge(20ms, usual, aim));
  detector.reset(5);
  EXPECT_FALSE(detector.judge(20ms, usual, aim));
  EXPECT_FALSE(detector.judge(50ms, usual, aim));
  EXPECT_TRUE(detector.judge(20ms, usual, aim));
}

TEST_F(Excess, TwoFullDipsInARowMakeATrialCountAlone) {
  const Duration usual = 40ms, aim = 26ms;
  dip(30ms, usual, true);
  dip(5ms, usual, true);
  dip(30ms, usual, true);
  EXPECT_FALSE(detector.dips_suspect());
  dip(30ms, usual, true);
  EXPECT_TRUE(detector.dips_suspect());
  EXPECT_TRUE(detector.judge(30ms, usual, aim));
  EXPECT_FALSE(detector.judge(2ms, usual, aim));  // and one that empties the queue clears it
  EXPECT_FALSE(detector.dips_suspect());
  // Of so short a queue nothing can be told.
  for (int i = 0; i < 5; ++i) dip(10ms, 12ms, true);
  EXPECT_FALSE(detector.dips_suspect());
}

// What counts as the base may be a part of a competitor's queue, of which each loss takes a part.
TEST_F(Excess, WhereTheBaseIsNotKnownLessThatStaysIsSuspect) {
  const Duration usual = 40ms;
  dip(15ms, usual, true);
  dip(20ms, usual, true);
  EXPECT_FALSE(detector.dips_suspect());
  dip(15ms, usual, false);
  dip(10ms, usual, false);
  dip(20ms, usual, false);
  EXPECT_FALSE(detector.dips_suspect());
  dip(15ms, usual, false);
  EXPECT_TRUE(detector.dips_suspect());
}

// Packets that come in bunches leave as much where nobody is, and a route that became longer leaves the
// same in each dip.
TEST_F(Excess, WhatJitterOrALongerRouteExplainsTellsNothing) {
  for (int i = 0; i < 6; ++i) dip(6ms + i % 2 * 3ms, 14ms, false, 10ms);
  EXPECT_FALSE(detector.dips_suspect());
  for (int i = 0; i < 6; ++i) dip(60ms + i % 2 * 30ms, 14ms, false, 20ms);  // an outage in each
  EXPECT_FALSE(detector.dips_suspect());
  for (int i = 0; i < 6; ++i) dip(15ms + i % 2 * 1ms, 40ms, false);
  EXPECT_FALSE(detector.dips_suspect());
  detector.on_new_socket(5);
  dip(25ms, 40ms, false);
  EXPECT_FALSE(detector.dips_suspect());
}

TEST_F(Excess, LossesOverSecondsTellWithoutATrial) {
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(detector.on_loss(true, 5s, now + i * 20ms));
  EXPECT_FALSE(detector.on_loss(false, 5s, now + 2s));
  EXPECT_FALSE(detector.on_loss(true, 5s, now + 3s));
  EXPECT_TRUE(detector.on_loss(true, 5s, now + 5s));
  detector.reset(5);
  // A loss now and then is chance.
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(detector.on_loss(true, 5s, now + i * 6s));
}

// Each trial stops a video: where losses go on, and were chance, they come later and later.
TEST_F(Excess, LossesThatGoOnCallForATrialLessAndLess) {
  std::vector<int> trials;
  for (int s = 0; s < 100; ++s) {
    if (!detector.on_loss(true, 5s, now + s * 1s)) continue;
    trials.push_back(s);
    EXPECT_FALSE(detector.judge(1ms, 20ms, 26ms));
  }
  EXPECT_EQ(trials, (std::vector<int>{2, 12, 32, 72}));
  detector.reset(5);
  EXPECT_FALSE(detector.on_loss(true, 5s, now + 100s));
  EXPECT_FALSE(detector.on_loss(true, 5s, now + 101s));
  EXPECT_TRUE(detector.on_loss(true, 5s, now + 102s));
}

}  // namespace
}  // namespace paceline::competitor_detector_test
