#include "app/reception/sound_window.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kBegin{};

TEST(SoundWindow, GrowsAtOnce) {
  SoundWindow window;
  EXPECT_EQ(window.now(), 500ms);
  EXPECT_FALSE(window.follow(500ms, kBegin));
  EXPECT_FALSE(window.follow(540ms, kBegin)) << "not notable";
  EXPECT_TRUE(window.follow(560ms, kBegin));
  EXPECT_EQ(window.now(), 560ms);
  EXPECT_FALSE(window.follow(560ms, kBegin)) << "it has been told";
}

TEST(SoundWindow, ShrinksAfterACalm) {
  SoundWindow window;
  ASSERT_TRUE(window.follow(2s, kBegin));
  EXPECT_FALSE(window.follow(700ms, kBegin + 1s));
  EXPECT_FALSE(window.follow(600ms, kBegin + 10s));
  EXPECT_TRUE(window.follow(640ms, kBegin + 11s));
  EXPECT_EQ(window.now(), 640ms);
}

TEST(SoundWindow, WhatWasNeededMeanwhileIsNoCalm) {
  SoundWindow window;
  ASSERT_TRUE(window.follow(2s, kBegin));
  EXPECT_FALSE(window.follow(700ms, kBegin + 1s));
  EXPECT_FALSE(window.follow(1980ms, kBegin + 9s));
  EXPECT_FALSE(window.follow(700ms, kBegin + 12s));
  EXPECT_FALSE(window.follow(700ms, kBegin + 21s));
  EXPECT_TRUE(window.follow(700ms, kBegin + 22s));
}

TEST(SoundWindow, ALittleLessIsNotWorthAWord) {
  SoundWindow window;
  ASSERT_TRUE(window.follow(600ms, kBegin));
  for (auto now = kBegin; now < kBegin + 60s; now += 500ms) {
    EXPECT_FALSE(window.follow(560ms, now));
  }
}

TEST(SoundWindow, StaysWithinBounds) {
  SoundWindow window;
  EXPECT_FALSE(window.follow(0s, kBegin));
  EXPECT_FALSE(window.follow(0s, kBegin + 60s)) << "never below the first";
  EXPECT_TRUE(window.follow(60s, kBegin + 61s));
  EXPECT_EQ(window.now(), SoundWindow::kMost);
  EXPECT_FALSE(window.follow(60s, kBegin + 62s)) << "told once";
  EXPECT_FALSE(window.follow(20ms, kBegin + 63s));
  EXPECT_TRUE(window.follow(20ms, kBegin + 73s));
  EXPECT_EQ(window.now(), SoundWindow::kFirst);
}

}  // namespace
}  // namespace qvid::app
