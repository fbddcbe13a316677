#include "ui/text/character_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::ui {
namespace {

using Codes = std::vector<char32_t>;

void draw(CharacterSet& set, char32_t first, std::size_t count) {
  set.begin();
  for (std::size_t i = 0; i < count; ++i) set.note(first + static_cast<char32_t>(i));
}

TEST(CharacterSet, WhatIsDrawnIsLoadedOnce) {
  CharacterSet set;
  EXPECT_FALSE(set.lacking());
  draw(set, 0x400, 2);
  EXPECT_TRUE(set.lacking());
  EXPECT_EQ(set.load(), (Codes{0x400, 0x401}));
  EXPECT_FALSE(set.lacking());
  draw(set, 0x401, 1);
  EXPECT_FALSE(set.lacking());
  draw(set, 0x4E00, 1);
  EXPECT_EQ(set.load(), (Codes{0x400, 0x401, 0x4E00})) << "what is not drawn now stays";
}

TEST(CharacterSet, WhereThereIsNoRoomOnlyWhatIsDrawnStays) {
  CharacterSet set;
  draw(set, 0x4E00, CharacterSet::kMost);
  EXPECT_EQ(set.load().size(), CharacterSet::kMost);
  draw(set, 0x400, 2);
  EXPECT_EQ(set.load(), (Codes{0x400, 0x401}));
  draw(set, 0x4E00, 1);
  EXPECT_TRUE(set.lacking()) << "it has gone";
}

TEST(CharacterSet, ADrawingOfTooManyIsNotTriedAgain) {
  CharacterSet set;
  draw(set, 0x4E00, CharacterSet::kMost + 100);
  EXPECT_EQ(set.load().size(), CharacterSet::kMost);
  EXPECT_FALSE(set.lacking());
  draw(set, 0x4E00, CharacterSet::kMost + 101);
  EXPECT_TRUE(set.lacking()) << "another drawing";
}

TEST(CharacterSet, BeyondTheFirstPlaneNothingIsAskedFor) {
  CharacterSet set;
  draw(set, 0x1F600, 10);
  EXPECT_FALSE(set.lacking());
}

}  // namespace
}  // namespace qvid::ui
