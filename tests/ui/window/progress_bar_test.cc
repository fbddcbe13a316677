// Shows where a click on the bar goes to, and when the bar is seen. Drawing is shown with the
// window.
#include "ui/window/progress_bar.h"

#include <gtest/gtest.h>

namespace qvid::ui::progress_bar_test {
namespace {

constexpr media::PictureSize kWindow{1000, 500};
constexpr Timestamp kNow{Duration(1000s)};

TEST(ProgressBar, WritesPlacesAsAClockDoes) {
  EXPECT_EQ(place_text(0s), "0:00");
  EXPECT_EQ(place_text(123s + 900ms), "2:03");
  EXPECT_EQ(place_text(3723s), "1:02:03");
  EXPECT_EQ(place_text(100h), "100:00:00");
  EXPECT_EQ(place_text(-5s), "0:00");
}

TEST(ProgressBar, IsSeenForAWhileAfterInputAndWhilePaused) {
  ProgressBar bar;
  EXPECT_FALSE(bar.touch(kNow));  // live: there is none
  EXPECT_FALSE(bar.seen(kNow));
  bar.set(ProgressModel{.place = 1s, .duration = 10s}, false);
  EXPECT_TRUE(bar.seen(kNow + 2999ms));
  EXPECT_FALSE(bar.seen(kNow + 3s));
  EXPECT_TRUE(bar.touch(kNow + 4s));
  EXPECT_FALSE(bar.touch(kNow + 5s));  // it is drawn already
  bar.set(ProgressModel{.place = 1s, .duration = 10s}, true);
  EXPECT_TRUE(bar.seen(kNow + 1h));
}

TEST(ProgressBar, ADragEndsAtItsPlace) {
  ProgressBar bar;
  bar.set(ProgressModel{.place = 1s, .duration = 100s}, false);
  EXPECT_FALSE(bar.press(500, 490, kWindow, kNow)) << "nobody sees it";
  bar.touch(kNow);
  EXPECT_FALSE(bar.press(500, 200, kWindow, kNow)) << "that is the picture";
  EXPECT_FALSE(bar.release());
  ASSERT_TRUE(bar.press(500, 490, kWindow, kNow));
  EXPECT_TRUE(bar.dragging());
  EXPECT_TRUE(bar.seen(kNow + 1h)) << "held";
  EXPECT_TRUE(bar.point(0, 100, kWindow, kNow)) << "wherever the mouse goes";
  EXPECT_EQ(bar.release(), Duration(0s));
  EXPECT_FALSE(bar.release());
  bar.touch(kNow);
  ASSERT_TRUE(bar.press(500, 490, kWindow, kNow));
  EXPECT_EQ(bar.release(), Duration(50s));
  ASSERT_TRUE(bar.press(5000, 490, kWindow, kNow));
  EXPECT_EQ(bar.release(), Duration(100s));
}

TEST(ProgressBar, WhatTheMouseIsOverIsPointedAt) {
  ProgressBar bar;
  bar.set(ProgressModel{.place = 1s, .duration = 100s}, false);
  EXPECT_FALSE(bar.point(500, 490, kWindow, kNow)) << "nobody sees it";
  bar.touch(kNow);
  EXPECT_FALSE(bar.point(500, 200, kWindow, kNow));
  EXPECT_TRUE(bar.point(500, 490, kWindow, kNow));
  EXPECT_EQ(bar.pointed(), Duration(50s));
  EXPECT_EQ(bar.x_of(50s, kWindow), 500);
  EXPECT_FALSE(bar.point(500, 491, kWindow, kNow)) << "the same place";
  EXPECT_TRUE(bar.seen(kNow + 1h)) << "under the mouse";
  EXPECT_TRUE(bar.point(500, 200, kWindow, kNow));
  EXPECT_FALSE(bar.pointed());
  bar.point(500, 490, kWindow, kNow);
  bar.leave();
  EXPECT_FALSE(bar.pointed());
  EXPECT_FALSE(bar.seen(kNow + 1h));
  bar.point(500, 490, kWindow, kNow);
  bar.set({}, false);
  EXPECT_FALSE(bar.pointed()) << "there is no bar any more";
}

TEST(ProgressBar, WithoutADurationThereIsNoPlaceToGoTo) {
  ProgressBar bar;
  bar.set(ProgressModel{.place = 1s}, true);
  EXPECT_TRUE(bar.seen(kNow));
  EXPECT_FALSE(bar.press(500, 490, kWindow, kNow));
  EXPECT_FALSE(bar.point(500, 490, kWindow, kNow));
}

}  // namespace
}  // namespace qvid::ui::progress_bar_test
