#include "ui/window/tile_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ui/window/notice_board.h"

namespace qvid::ui {
namespace {

TEST(TileModel, Initials) {
  EXPECT_EQ(initials("Ann"), "A");
  EXPECT_EQ(initials("ann van lee"), "AL");
  EXPECT_EQ(initials("  bob   (desk) "), "BD");
  EXPECT_EQ(initials("\xC3\xA9mile zola"), "\xC3\x89Z");
  EXPECT_EQ(initials("\xC3\xB7"), "\xC3\xB7") << "a sign has no capital";
  EXPECT_EQ(initials("\xE6\x9D\x8E"), "\xE6\x9D\x8E");
  EXPECT_EQ(initials("łukasz żółć"), "ŁŻ");
  EXPECT_EQ(initials("e\u0301mile"), "E\u0301") << "a mark goes with its letter";
  EXPECT_EQ(initials(""), "?");
  EXPECT_EQ(initials(" - "), "?");
  EXPECT_EQ(initials("\n\t"), "?");
  EXPECT_EQ(initials("\xC3"), "\xC3") << "half a character";
}

TEST(TileModel, ANameIsOneLine) { EXPECT_EQ(one_line("a\nb\x7F\tc"), "a b  c"); }

TEST(TileModel, MeterOfSpeech) {
  EXPECT_EQ(meter_level(-127), 0);
  EXPECT_EQ(meter_level(-60), 0);
  EXPECT_FLOAT_EQ(meter_level(-35), 0.5f);
  EXPECT_EQ(meter_level(-10), 1);
  EXPECT_EQ(meter_level(0), 1);
  EXPECT_EQ(meter_level(std::nan("")), 0);
  EXPECT_EQ(meter_level(1e300), 1);
}

TEST(TileModel, VolumeIsToldWhereItIsAnother) {
  EXPECT_EQ(volume_text(1), "");
  EXPECT_EQ(volume_text(0.998f), "");
  EXPECT_EQ(volume_text(1.5f), "150 %");
  EXPECT_EQ(volume_text(0), "0 %");
  EXPECT_EQ(volume_text(-1), "");
  EXPECT_EQ(volume_text(std::nanf("")), "");
  EXPECT_EQ(volume_text(1e30f), "");
}

TEST(TileModel, WhoIsLarge) {
  std::vector<TileModel> tiles{
      {.key = "me", .own = true}, {.key = "a"}, {.key = "b"}, {.key = "c"}};
  EXPECT_EQ(large_tile({}, ""), "");
  EXPECT_EQ(large_tile(tiles, ""), "a") << "the first that is not one's own";
  tiles[2].speaking = true;
  EXPECT_EQ(large_tile(tiles, "a"), "b");
  tiles[1].speaking = true;
  EXPECT_EQ(large_tile(tiles, "b"), "b") << "it does not jump while both speak";
  tiles[2].speaking = false;
  EXPECT_EQ(large_tile(tiles, "b"), "a");
  tiles[1].speaking = false;
  EXPECT_EQ(large_tile(tiles, "b"), "b") << "silence changes nothing";
  tiles[0].speaking = true;
  EXPECT_EQ(large_tile(tiles, "c"), "c") << "nobody wants to look at oneself";
  tiles[3].pinned = true;
  tiles[1].speaking = true;
  EXPECT_EQ(large_tile(tiles, "a"), "c");
  tiles.resize(1);
  EXPECT_EQ(large_tile(tiles, "c"), "me");
}

TEST(TileModel, WhatIsSharedIsLargeBeforeWhoSpeaks) {
  std::vector<TileModel> tiles{{.key = "mine", .own = true, .share = true},
                               {.key = "a", .speaking = true},
                               {.key = "b", .share = true},
                               {.key = "c", .share = true}};
  EXPECT_EQ(large_tile(tiles, "a"), "b");
  EXPECT_EQ(large_tile(tiles, "c"), "c") << "it does not jump while both share";
  tiles[1].pinned = true;
  EXPECT_EQ(large_tile(tiles, "b"), "a");
  EXPECT_EQ(large_tile(std::vector<TileModel>(tiles.begin(), tiles.begin() + 2), "b"), "a");
}

TEST(TileModel, WhatItIsCalled) {
  EXPECT_EQ(tile_title({.name = "Ann"}), "Ann");
  EXPECT_EQ(tile_title({.name = "Ann", .own = true}), "Ann (you)");
  EXPECT_EQ(tile_title({.name = "Ann\n", .share = true}), "Ann : share");
  EXPECT_EQ(tile_title({.name = "Ann", .own = true, .share = true}), "what you share");
}

TEST(NoticeBoard, EachIsSeenForItsTime) {
  NoticeBoard board;
  const Timestamp start{};
  EXPECT_TRUE(board.at(start).empty());
  EXPECT_FALSE(board.next_end(start));
  board.add("Ann joined", start);
  board.add("Bob joined", start + 1s);
  EXPECT_EQ(board.at(start + 1s), (std::vector<std::string>{"Ann joined", "Bob joined"}));
  EXPECT_EQ(board.next_end(start + 1s), start + 4s);
  EXPECT_EQ(board.at(start + 4s), (std::vector<std::string>{"Bob joined"}));
  EXPECT_EQ(board.next_end(start + 4s), start + 5s);
  EXPECT_TRUE(board.at(start + 5s).empty());
  EXPECT_FALSE(board.next_end(start + 5s));
}

TEST(NoticeBoard, TheOldestMakesRoom) {
  NoticeBoard board;
  for (int i = 0; i < 100; ++i) board.add(std::to_string(i), Timestamp{});
  EXPECT_EQ(board.at(Timestamp{}), (std::vector<std::string>{"96", "97", "98", "99"}));
}

TEST(TileModel, LoudnessIsShownInStepsThatAMeterTellsApart) {
  EXPECT_EQ(shown_loudness(-127), shown_loudness(-61.7)) << "a quiet room";
  EXPECT_EQ(shown_loudness(-30.2), shown_loudness(-29.1));
  EXPECT_NE(shown_loudness(-30), shown_loudness(-26));
  EXPECT_EQ(shown_loudness(std::nan("")), shown_loudness(-127));
  for (const double loudness : {-58.0, -33.3, -12.0}) {
    EXPECT_NEAR(meter_level(shown_loudness(loudness)), meter_level(loudness), 0.031);
  }
}

}  // namespace
}  // namespace qvid::ui
