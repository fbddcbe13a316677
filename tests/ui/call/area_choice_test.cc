// The part of a desktop that a drag and the arrow keys choose.
#include "ui/call/area_choice.h"

#include <gtest/gtest.h>

namespace qvid::ui {
namespace {

constexpr media::PictureSize kDesktop{1280, 801};

TEST(AreaChoice, BeginsInTheMiddle) {
  EXPECT_EQ(AreaChoice(kDesktop).area(), (Rectangle{320, 200, 640, 400}));
}

TEST(AreaChoice, ADragSpansFromCornerToCorner) {
  AreaChoice choice(kDesktop);
  choice.span(100, 50, 301, 251);
  EXPECT_EQ(choice.area(), (Rectangle{100, 50, 200, 200})) << "even";
  choice.span(300, 250, 100, 50);
  EXPECT_EQ(choice.area(), (Rectangle{100, 50, 200, 200})) << "whichever way";
}

TEST(AreaChoice, IsClippedToTheDesktop) {
  AreaChoice choice(kDesktop);
  choice.span(-50, -50, 5000, 5000);
  EXPECT_EQ(choice.area(), (Rectangle{0, 0, 1280, 800}));
  choice.span(1200, 700, 9000, 9000);
  EXPECT_EQ(choice.area(), (Rectangle{1200, 700, 80, 100}));
  choice.span(2000, 2000, 3000, 3000);
  EXPECT_EQ(choice.area(), (Rectangle{1216, 737, 64, 64})) << "outside: the nearest there is";
}

TEST(AreaChoice, HasALeastSize) {
  AreaChoice choice(kDesktop);
  choice.span(100, 100, 101, 100);
  EXPECT_EQ(choice.area(), (Rectangle{100, 100, 64, 64}));
  choice.span(100, 100, 90, 90);
  EXPECT_EQ(choice.area(), (Rectangle{36, 36, 64, 64})) << "towards where it is dragged";
  AreaChoice small({41, 30});
  EXPECT_EQ(small.area(), (Rectangle{0, 0, 40, 30})) << "all that there is";
}

TEST(AreaChoice, MovesAndGrowsWithinTheDesktop) {
  AreaChoice choice(kDesktop);
  choice.move(-10, 16);
  EXPECT_EQ(choice.area(), (Rectangle{310, 216, 640, 400}));
  choice.move(-1000, 1000);
  EXPECT_EQ(choice.area(), (Rectangle{0, 401, 640, 400})) << "it keeps its size";
  choice.grow(16, 16);
  EXPECT_EQ(choice.area(), (Rectangle{0, 401, 656, 400}));
  choice.grow(-3000, -3000);
  EXPECT_EQ(choice.area(), (Rectangle{0, 401, 64, 64}));
  choice.grow(3000, 3000);
  EXPECT_EQ(choice.area(), (Rectangle{0, 401, 1280, 400}));
}

}  // namespace
}  // namespace qvid::ui
