// The clock's strip: numbers and times, reading at any place and scale, and damage that must not be
// taken for a number.
#include "lab/glass/strip.h"

#include <gtest/gtest.h>

#include <bit>

#include "lab/glass/clock_picture.h"
#include "lab/glass/clock_time.h"
#include "lab/glass/strip_reader.h"
#include "tests/lab/glass_screen.h"

namespace qvid::lab {
namespace {

TEST(ClockTime, ANumberIsItsTime) {
  for (const std::int64_t number : {0l, 1l, 296l, 297l, 65536l, 100'000'000'000l}) {
    EXPECT_EQ(number_at(time_of_number(number)), number);
    EXPECT_EQ(number_at(time_of_number(number + 1) - 2ns), number);
  }
  EXPECT_EQ(to_seconds(time_of_number(297).time_since_epoch()), 10 + 1e-9);
}

TEST(StripCells, GiveTheLowBitsBack) {
  for (std::int64_t number = 0; number < 1 << kNumberBits; ++number) {
    ASSERT_EQ(number_of_cells(cells_of(number)), static_cast<int>(number));
  }
  EXPECT_EQ(number_of_cells(cells_of((std::int64_t{5} << kNumberBits) + 77)), 77);
}

TEST(StripCells, ConsecutiveNumbersDifferInOneCellAndTheCheck) {
  for (std::int64_t number = 0; number < 5000; ++number) {
    const std::uint32_t changed = (cells_of(number) ^ cells_of(number + 1)) >> 8;
    ASSERT_EQ(std::popcount(changed), 1) << number;
  }
}

TEST(StripCells, OneOrTwoWrongCellsAreFound) {
  const std::uint32_t cells = cells_of(12'345);
  for (int i = 0; i < kCells; ++i) {
    EXPECT_FALSE(number_of_cells(cells ^ 1u << i)) << i;
    for (int j = 0; j < i; ++j) EXPECT_FALSE(number_of_cells(cells ^ 1u << i ^ 1u << j));
  }
  EXPECT_FALSE(number_of_cells(0)) << "a black strip";
  EXPECT_FALSE(number_of_cells(cells | 1u << 24)) << "more cells than there are";
}

TEST(WholeNumber, IsTheNewestThatIsNotOfTheFuture) {
  constexpr std::int64_t kNow = 7'000'000;
  const auto low = [](std::int64_t number) { return static_cast<int>(number & 0xffff); };
  EXPECT_EQ(whole_number(low(kNow), kNow), kNow);
  EXPECT_EQ(whole_number(low(kNow - 3000), kNow), kNow - 3000);
  EXPECT_FALSE(whole_number(low(kNow + 1), kNow)) << "then it is of 37 minutes ago";
  EXPECT_FALSE(whole_number(low(kNow - 4000), kNow)) << "over two minutes";
  EXPECT_FALSE(whole_number(60'000, 10)) << "before the begin";
}

struct StripReader : testing::Test {
  ClockPicture clock;
  PaintedScreen screen{800, 600};

  std::optional<int> read() const {
    const auto place = find_strip(screen.all());
    return place ? read_strip(screen.all(), *place) : std::nullopt;
  }
};

TEST_F(StripReader, FindsItAnywhere) {
  screen.paint(clock.draw(4711), 93, 121);
  EXPECT_EQ(find_strip(screen.all()), (StripPlace{93, 121, kClockWidth, kStripHeight}));
  EXPECT_EQ(read(), 4711);
}

TEST_F(StripReader, ReadsItAtOtherScales) {
  for (const double scale : {0.4, 0.61, 0.9, 1.2}) {
    PaintedScreen other(800, 600);
    other.paint(clock.draw(40'000), 10, 20, scale);
    const auto place = find_strip(other.all());
    ASSERT_TRUE(place) << scale;
    EXPECT_EQ(read_strip(other.all(), *place), 40'000) << scale;
  }
}

TEST_F(StripReader, ReadsWhatACodecLeaves) {
  // Half of the contrast, two bits a channel lost, blurred.
  screen.paint(clock.draw(1234), 7, 9, 1,
               [](std::uint32_t pixel) { return ((pixel & 0xfcfcfc) >> 1) + 0x303030; });
  screen.blur(2);
  EXPECT_EQ(read(), 1234);
}

TEST_F(StripReader, ReadsAPartOfTheScreenAsTheWhole) {
  screen.paint(clock.draw(99), 30, 40);
  const StripPlace place{30, 40, kClockWidth, kStripHeight};
  const auto part = screen.take(30, 40, kClockWidth, kStripHeight);
  EXPECT_EQ(read_strip(part.pixels, place.within(30, 40)), 99);
}

TEST_F(StripReader, FindsNoneWhereThereIsNone) {
  EXPECT_FALSE(find_strip(screen.all()));
  screen.fill(0, 0, 800, 600, 0xff00ff);
  EXPECT_FALSE(find_strip(screen.all()));
  screen.fill(0, 0, 800, 600, 0);
  screen.fill(100, 50, 32, 3, 0xff00ff);  // bars of three rows
  screen.fill(708, 50, 32, 3, 0xff00ff);
  EXPECT_FALSE(find_strip(screen.all()));
  EXPECT_FALSE(find_strip({}));
}

TEST_F(StripReader, SaysNothingOfADamagedOne) {
  const Pixels picture = clock.draw(31'000);
  struct Damage {
    const char* what;
    int left, top, width, height;
    std::uint32_t pixel;
  };
  // Below the bars' first rows, so that the strip is found.
  for (const Damage& damage :
       {Damage{"a grey hole over cells", 200, 0, 60, kStripHeight, 0x808080},
        Damage{"a black one", 64, 0, 200, kStripHeight, 0x000000},
        Damage{"the lower half is another picture's", 32, 20, 576, 20, 0xe8e8e8},
        Damage{"a cell turned round", 32, 0, 24, 20, 0xe8e8e8}}) {
    PaintedScreen other(800, 600);
    other.paint(picture, 0, 0);
    other.fill(damage.left, damage.top, damage.width, damage.height, damage.pixel);
    if (damage.left == 32 && damage.width == 24) other.fill(32, 20, 24, 20, 0x181818);
    const auto place = find_strip(other.all());
    ASSERT_TRUE(place) << damage.what;
    const auto got = read_strip(other.all(), *place);
    // The turned cell may have been so before.
    EXPECT_TRUE(!got || *got == 31'000) << damage.what << ": " << *got;
  }
}

TEST_F(StripReader, ATornPictureIsNoNumberBetweenTheTwo) {
  // The upper half of one strip over the lower half of the next: a bit is its own complement.
  screen.paint(clock.draw(500), 0, 0);
  const Pixels next = clock.draw(503);
  PaintedScreen lower(800, 600);
  lower.paint(next, 0, 0);
  for (int y = kStripHeight / 2; y < kStripHeight; ++y) {
    for (int x = 0; x < kClockWidth; ++x) screen.fill(x, y, 1, 1, lower.all().at(x, y));
  }
  EXPECT_FALSE(read());
}

}  // namespace
}  // namespace qvid::lab
