#include "ui/window/aspect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ui/rectangle.h"

namespace qvid::ui {
namespace {

TEST(Aspect, SameAspectFillsTheWindow) {
  EXPECT_EQ(fit({640, 360}, {640, 360}), (Rectangle{0, 0, 640, 360}));
  EXPECT_EQ(fit({640, 360}, {1920, 1080}), (Rectangle{0, 0, 1920, 1080}));
  EXPECT_EQ(fit({1920, 1080}, {320, 180}), (Rectangle{0, 0, 320, 180}));
}

TEST(Aspect, WiderPictureHasBarsAboveAndBelow) {
  EXPECT_EQ(fit({1280, 720}, {640, 480}), (Rectangle{0, 60, 640, 360}));
}

TEST(Aspect, NarrowerPictureHasBarsLeftAndRight) {
  EXPECT_EQ(fit({640, 480}, {1280, 720}), (Rectangle{160, 0, 960, 720}));
  EXPECT_EQ(fit({480, 640}, {640, 640}), (Rectangle{80, 0, 480, 640}));
}

TEST(Aspect, NoAreaGivesNothing) {
  EXPECT_TRUE(fit({0, 360}, {640, 360}).empty());
  EXPECT_TRUE(fit({640, -1}, {640, 360}).empty());
  EXPECT_TRUE(fit({640, 360}, {0, 0}).empty());
  EXPECT_TRUE(fit({640, 360}, {640, 0}).empty());
}

TEST(Aspect, ExtremesStayInsideAndVisible) {
  EXPECT_EQ(fit({4096, 16}, {320, 180}), (Rectangle{0, 89, 320, 1}));
  EXPECT_EQ(fit({16, 4096}, {100, 180}), (Rectangle{49, 0, 1, 180}));
  EXPECT_EQ(fit({640, 360}, {1, 1}), (Rectangle{0, 0, 1, 1}));
  // Products of such sizes do not fit 32 bits.
  EXPECT_EQ(fit({2'000'000, 1'000'000}, {1'000'000, 1'000'000}),
            (Rectangle{0, 250'000, 1'000'000, 500'000}));
}

TEST(Aspect, EveryWindowIsTouchedOnTwoSidesAndKeptInside) {
  for (int w = 1; w < 200; w += 7) {
    for (int h = 1; h < 200; h += 5) {
      const Rectangle r = fit({353, 289}, {w, h});
      ASSERT_TRUE(r.width == w || r.height == h) << w << 'x' << h;
      ASSERT_GE(r.x, 0);
      ASSERT_GE(r.y, 0);
      ASSERT_LE(r.x + r.width, w);
      ASSERT_LE(r.y + r.height, h);
      ASSERT_LE(std::abs(r.width * 289.0 - r.height * 353.0), 353.0) << w << 'x' << h;
    }
  }
}

}  // namespace
}  // namespace qvid::ui
