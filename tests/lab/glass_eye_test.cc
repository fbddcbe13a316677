// The eye on a screen that is painted: what it notes, what it does not take for a picture, and how
// it follows a window.
#include "lab/glass/eye.h"

#include <gtest/gtest.h>

#include "lab/glass/clock_time.h"
#include "lab/glass/likeness.h"
#include "tests/lab/glass_screen.h"

namespace qvid::lab {
namespace {

struct EyeTest : testing::Test {
  // So many looks, 4 ms apart.
  void look(int times = 1) {
    for (int i = 0; i < times; ++i) {
      eye.turn(screen.now);
      screen.now += kLookEvery;
    }
  }
  // The clock's picture of a moment ago.
  std::int64_t show(Duration age, int left = 20, int top = 30) {
    const std::int64_t number = number_at(screen.now - age);
    screen.paint(clock.draw(number), left, top);
    return number;
  }

  ClockPicture clock;
  PaintedScreen screen{800, 600};
  Eye eye{screen};
  void SetUp() override { screen.now = Timestamp(1000s); }
};

TEST_F(EyeTest, NotesEachNewNumberOnce) {
  const std::int64_t first = show(100ms);
  const Timestamp at = screen.now;
  look(8);
  const std::int64_t second = show(80ms);
  look(8);
  ASSERT_EQ(eye.log().sightings.size(), 2u);
  EXPECT_EQ(eye.log().sightings[0].number, first);
  EXPECT_EQ(eye.log().sightings[0].at, at);
  EXPECT_EQ(eye.log().sightings[1].number, second);
  EXPECT_EQ(eye.log().looks, 16u);
  EXPECT_EQ(eye.log().unreadable, 0u);
}

TEST_F(EyeTest, LooksAtTheWholeScreenNowAndThenUntilThereIsAClock) {
  look(100);  // 0.4 s
  EXPECT_EQ(screen.shots, 3);
  EXPECT_TRUE(eye.log().sightings.empty());
  show(50ms);
  look(50);
  EXPECT_EQ(eye.log().sightings.size(), 1u);
}

TEST_F(EyeTest, CountsDamagedStripsAndNotesNone) {
  show(50ms);
  look(2);
  screen.fill(100, 30, 300, kStripHeight, 0x808080);
  look(10);
  EXPECT_EQ(eye.log().sightings.size(), 1u);
  EXPECT_EQ(eye.log().unreadable, 10u);
}

TEST_F(EyeTest, FollowsAWindowThatMoves) {
  show(50ms, 20, 30);
  look(2);
  screen.fill(0, 0, 800, 600, 0);
  const std::int64_t number = show(20ms, 150, 160);
  look(200);  // 0.8 s
  ASSERT_EQ(eye.log().sightings.size(), 2u);
  EXPECT_EQ(eye.log().sightings.back().number, number);
}

TEST_F(EyeTest, APictureOfTheFutureIsNone) {
  screen.paint(clock.draw(number_at(screen.now) + 10), 20, 30);
  look(50);
  EXPECT_TRUE(eye.log().sightings.empty());
}

TEST_F(EyeTest, ComparesNowAndThen) {
  for (int i = 0; i < 30; ++i) {  // a second
    show(100ms);
    look(8);
  }
  ASSERT_EQ(eye.log().quality.size(), 3u);
  for (const SeenQuality& seen : eye.log().quality) {
    EXPECT_GT(seen.psnr, 60);
    EXPECT_GT(seen.ssim, 0.999);
  }
}

TEST(Likeness, SaysHowFarThePicturesAreApart) {
  ClockPicture clock;
  const Pixels drawn = clock.draw(777);
  PaintedScreen screen(800, 600);
  // Each pixel 8 brighter or darker by turns: 10 log10(255^2 / 64) = 30.07 dB.
  screen.paint(drawn, 0, 0, 1, [](std::uint32_t pixel) {
    const auto moved = [](std::uint32_t c) { return c > 127 ? c - 8 : c + 8; };
    return moved(pixel >> 16 & 255) << 16 | moved(pixel >> 8 & 255) << 8 | moved(pixel & 255);
  });
  Likeness likeness;
  const auto how = likeness.of(screen.all(), {0, 0, kClockWidth, kStripHeight}, drawn);
  ASSERT_TRUE(how);
  EXPECT_GT(how->psnr, 29);
  EXPECT_LT(how->psnr, 36);  // the channels may go against each other
  EXPECT_GT(how->ssim, 0.5);
  EXPECT_LT(how->ssim, 0.99);
}

TEST(Likeness, FindsThePictureBesideABlurredStrip) {
  ClockPicture clock;
  const Pixels drawn = clock.draw(778);
  PaintedScreen screen(800, 600);
  screen.paint(drawn, 53, 71);
  Likeness likeness;
  const auto how = likeness.of(screen.all(), {51, 74, kClockWidth + 4, kStripHeight}, drawn);
  ASSERT_TRUE(how);
  EXPECT_GT(how->psnr, 60);
  EXPECT_GT(how->ssim, 0.9999);
  EXPECT_FALSE(likeness.of(screen.all(), {51, 74, kClockWidth / 2, kStripHeight / 2}, drawn));
}

}  // namespace
}  // namespace qvid::lab
