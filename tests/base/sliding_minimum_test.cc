// Shows what is remembered and for how long: by slots in which something came.
#include "base/sliding_minimum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace qvid {
namespace {

Timestamp at(Duration time) { return Timestamp(1h + time); }

TEST(SlidingMinimum, FallsAtOnceAndRisesWhenTheSlotHasGone) {
  SlidingMinimum<int> least(1s, 3);
  EXPECT_TRUE(least.empty());
  least.add(5, at(0s));
  EXPECT_EQ(least.least(), 5);
  least.add(3, at(500ms));
  EXPECT_EQ(least.least(), 3);
  least.add(9, at(1s));  // the second slot
  least.add(8, at(2s));
  EXPECT_EQ(least.least(), 3);
  least.add(8, at(2999ms));
  EXPECT_EQ(least.least(), 3);
  least.add(10, at(3s));
  EXPECT_EQ(least.least(), 8);
}

TEST(SlidingMinimum, SilenceIsNoEvidence) {
  SlidingMinimum<int> least(1s, 2);
  least.add(3, at(0s));
  least.add(7, at(24h));
  EXPECT_EQ(least.least(), 3);
  EXPECT_EQ(least.latest_began(), at(24h));
  least.add(8, at(25h));
  EXPECT_EQ(least.least(), 7);
  least.clear();
  EXPECT_TRUE(least.empty());
}

TEST(SlidingMinimum, AClockThatGoesBackMakesNoSlots) {
  SlidingMinimum<int> least(1s, 1);
  least.add(5, at(0s));
  least.add(4, at(-1h));
  least.add(6, at(999ms));
  EXPECT_EQ(least.least(), 4);
  EXPECT_EQ(least.latest_began(), at(0s));
}

// Against all values kept.
TEST(SlidingMinimum, IsTheLeastOfItsSlots) {
  std::mt19937 random(7);
  struct Seen {
    int slot;
    int value;
  };
  std::vector<Seen> all;
  SlidingMinimum<int> least(100ms, 8);
  Timestamp now = at(0s);
  Timestamp began = now;
  int slot = 0;
  for (int i = 0; i < 5000; ++i) {
    now += Duration(std::chrono::milliseconds(random() % 150));
    const int value = static_cast<int>(random() % 1000);
    if (now >= began + 100ms) {
      began = now;
      ++slot;
    }
    all.push_back({slot, value});
    least.add(value, now);
    int expected = value;
    for (const Seen& s : all) {
      if (s.slot > slot - 8) expected = std::min(expected, s.value);
    }
    ASSERT_EQ(least.least(), expected) << i;
  }
}

}  // namespace
}  // namespace qvid
