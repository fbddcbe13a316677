#include "ui/call/grid_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/ui/rectangle.h"

namespace qvid::ui {
namespace {

using media::PictureSize;

constexpr std::array kAspects{PictureSize{16, 9}, PictureSize{640, 480}, PictureSize{9, 16},
                              PictureSize{1920, 1080}, PictureSize{1, 1}};

std::vector<LayoutTile> some_tiles(int count, bool mixed) {
  std::vector<LayoutTile> tiles;
  for (int i = 0; i < count; ++i) {
    const auto aspect = static_cast<std::size_t>(mixed ? i : 0) % kAspects.size();
    tiles.push_back({.key = std::to_string(i), .aspect = kAspects[aspect]});
  }
  return tiles;
}

std::vector<PlacedTile> lay_out_in(PictureSize window, const std::vector<LayoutTile>& tiles,
                                   LayoutMode mode = LayoutMode::kGrid) {
  return lay_out({0, 0, window.width, window.height}, tiles, mode);
}

bool within(const Rectangle& inner, const Rectangle& outer) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

const PlacedTile& tile_of(const std::vector<PlacedTile>& placed, const std::string& key) {
  for (const PlacedTile& tile : placed) {
    if (tile.key == key) return tile;
  }
  ADD_FAILURE() << "no tile " << key;
  static const PlacedTile kNone;
  return kNone;
}

// What holds of every layout.
void check(const Rectangle& window, const std::vector<LayoutTile>& tiles, LayoutMode mode) {
  SCOPED_TRACE(std::to_string(tiles.size()) + " tiles in " + std::to_string(window.width) + "x" +
               std::to_string(window.height));
  const std::vector<PlacedTile> placed = lay_out(window, tiles, mode);
  ASSERT_EQ(placed.size(), tiles.size());
  int corners = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const PlacedTile& tile = placed[i];
    corners += tile.corner ? 1 : 0;
    if (tile.box.empty()) {
      ASSERT_TRUE(tile.picture.empty());
      continue;
    }
    ASSERT_TRUE(within(tile.box, window)) << testing::PrintToString(tile.box);
    ASSERT_TRUE(within(tile.picture, tile.box)) << testing::PrintToString(tile.picture);
    for (std::size_t j = 0; j < i; ++j) {
      if (tile.corner || placed[j].box.empty()) continue;
      ASSERT_FALSE(overlap(tile.box, placed[j].box)) << i << " and " << j;
    }
    const PictureSize aspect = tiles[static_cast<std::size_t>(std::stoi(tile.key))].aspect;
    const double w = tile.picture.width;
    const double h = tile.picture.height;
    const bool kept = std::abs(w - h * aspect.width / aspect.height) <= 0.5 + 1e-9 ||
                      std::abs(h - w * aspect.height / aspect.width) <= 0.5 + 1e-9 ||
                      tile.picture.width == 1 || tile.picture.height == 1;
    ASSERT_TRUE(kept) << testing::PrintToString(tile.picture);
  }
  ASSERT_LE(corners, 1);
  if (corners == 1) {
    ASSERT_TRUE(placed.back().corner) << "it is drawn over the others";
  }
}

constexpr std::array kWindows{
    Rectangle{0, 0, 1280, 720}, Rectangle{0, 26, 320, 154}, Rectangle{0, 0, 720, 1280},
    Rectangle{3, 7, 1920, 200}, Rectangle{0, 0, 100, 100},  Rectangle{0, 0, 47, 33},
    Rectangle{0, 0, 5, 3},      Rectangle{0, 0, 1, 1},      Rectangle{0, 0, 0, 0},
    Rectangle{0, 0, 640, 0},    Rectangle{0, 0, 3840, 2160}};

TEST(GridLayout, AnyNumberInAnyWindowStaysWithinAndApart) {
  for (const Rectangle& window : kWindows) {
    for (int count = 0; count <= 25; ++count) {
      for (const bool mixed : {false, true}) {
        for (const bool own : {false, true}) {
          for (const LayoutMode mode : {LayoutMode::kGrid, LayoutMode::kSpeaker}) {
            std::vector<LayoutTile> tiles = some_tiles(count, mixed);
            if (count > 0) tiles[static_cast<std::size_t>(count / 2)].important = true;
            if (count > 0) tiles.front().own = own;
            check(window, tiles, mode);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(GridLayout, EveryTileIsSeenInTheSmallestWindow) {
  for (int count = 1; count <= 25; ++count) {
    for (const PlacedTile& tile : lay_out_in({320, 154}, some_tiles(count, true))) {
      EXPECT_FALSE(tile.picture.empty()) << tile.key << " of " << count;
    }
  }
}

TEST(GridLayout, OneTileFillsTheWindow) {
  const auto placed = lay_out_in({1280, 720}, some_tiles(1, false));
  EXPECT_EQ(placed.front().box, (Rectangle{0, 0, 1280, 720}));
  EXPECT_EQ(placed.front().picture, (Rectangle{0, 0, 1280, 720}));
}

// The arrangement follows the shape of the window and of the pictures.
TEST(GridLayout, WastesTheLeastArea) {
  const auto rows_of = [](PictureSize window, PictureSize aspect, int count) {
    std::vector<LayoutTile> tiles = some_tiles(count, false);
    for (LayoutTile& tile : tiles) tile.aspect = aspect;
    int rows = 0;
    int last = -1;
    for (const PlacedTile& tile : lay_out_in(window, tiles)) {
      if (tile.box.y != last) ++rows;
      last = tile.box.y;
    }
    return rows;
  };
  EXPECT_EQ(rows_of({1280, 720}, {16, 9}, 4), 2);
  EXPECT_EQ(rows_of({1280, 720}, {16, 9}, 9), 3);
  EXPECT_EQ(rows_of({1280, 300}, {16, 9}, 3), 1);
  EXPECT_EQ(rows_of({300, 1280}, {16, 9}, 3), 3);
  EXPECT_EQ(rows_of({1280, 720}, {9, 16}, 4), 1);
  EXPECT_EQ(rows_of({1280, 720}, {16, 9}, 25), 5);
}

TEST(GridLayout, BoxesAreEqualAndInTheOrderOfTheTiles) {
  const auto placed = lay_out_in({1280, 720}, some_tiles(7, true));
  for (std::size_t i = 0; i < placed.size(); ++i) {
    EXPECT_EQ(placed[i].key, std::to_string(i));
    EXPECT_EQ(placed[i].box.width, placed[0].box.width);
    EXPECT_EQ(placed[i].box.height, placed[0].box.height);
    if (i == 0) continue;
    const Rectangle& before = placed[i - 1].box;
    const Rectangle& box = placed[i].box;
    EXPECT_TRUE(box.y > before.y || (box.y == before.y && box.x > before.x)) << i;
  }
}

TEST(GridLayout, AShortLastRowIsInTheMiddle) {
  const auto placed = lay_out_in({1280, 720}, some_tiles(3, false));
  EXPECT_EQ(placed[0].box.y, placed[1].box.y);
  const Rectangle& last = placed[2].box;
  EXPECT_NEAR(last.x + last.width / 2.0, 640, 1);
}

TEST(GridLayout, WhoIsImportantIsLargeAndTheOthersAreAStrip) {
  std::vector<LayoutTile> tiles = some_tiles(5, false);
  tiles[2].important = true;
  const auto placed = lay_out_in({1280, 720}, tiles, LayoutMode::kSpeaker);
  const Rectangle& large = tile_of(placed, "2").picture;
  for (const PlacedTile& tile : placed) {
    if (tile.key == "2") continue;
    EXPECT_LT(tile.picture.width * 3, large.width);
    EXPECT_TRUE(tile.box.x >= large.x + large.width || tile.box.y >= large.y + large.height);
  }
  EXPECT_EQ(lay_out_in({1280, 720}, tiles, LayoutMode::kGrid), [&] {
    tiles[2].important = false;
    return lay_out_in({1280, 720}, tiles, LayoutMode::kSpeaker);
  }()) << "a grid takes no notice of who is important; nobody important makes a grid";
}

TEST(GridLayout, TheStripIsWhereItWastesLess) {
  std::vector<LayoutTile> tiles = some_tiles(4, false);
  tiles[0].important = true;
  const auto wide = lay_out_in({1600, 600}, tiles, LayoutMode::kSpeaker);
  EXPECT_GE(wide[1].box.x, wide[0].box.x + wide[0].box.width);
  const auto tall = lay_out_in({800, 700}, tiles, LayoutMode::kSpeaker);
  EXPECT_GE(tall[1].box.y, tall[0].box.y + tall[0].box.height);
}

// Whoever becomes large, the others keep their order.
TEST(GridLayout, TheStripKeepsTheOrder) {
  for (std::size_t large = 0; large < 6; ++large) {
    std::vector<LayoutTile> tiles = some_tiles(6, false);
    tiles[large].important = true;
    const auto placed = lay_out_in({1600, 600}, tiles, LayoutMode::kSpeaker);
    const PlacedTile* before = nullptr;
    for (const PlacedTile& tile : placed) {
      if (tile.key == std::to_string(large)) continue;
      if (before != nullptr) {
        EXPECT_TRUE(tile.box.y > before->box.y || tile.box.x > before->box.x);
      }
      before = &tile;
    }
  }
}

TEST(GridLayout, TheOwnPictureIsInTheCornerUnlessAlone) {
  std::vector<LayoutTile> tiles = some_tiles(1, false);
  tiles[0].own = true;
  EXPECT_FALSE(lay_out_in({1280, 720}, tiles).front().corner);
  EXPECT_EQ(lay_out_in({1280, 720}, tiles).front().picture, (Rectangle{0, 0, 1280, 720}));

  for (int count = 2; count <= 25; ++count) {
    tiles = some_tiles(count, false);
    tiles[0].own = true;
    const auto placed = lay_out_in({1280, 720}, tiles);
    const PlacedTile& own = placed.back();
    ASSERT_TRUE(own.corner);
    EXPECT_EQ(own.key, "0");
    EXPECT_GT(own.box.x, 940);
    EXPECT_GT(own.box.y, 520);
    const std::int64_t hidden = std::int64_t{own.box.width} * own.box.height;
    const Rectangle& other = placed.front().box;
    EXPECT_LT(hidden * 6, std::int64_t{other.width} * other.height) << count;
  }
}

TEST(GridLayout, TheOwnPictureStandsAboveTheButtonsThatWouldHideIt) {
  std::vector<LayoutTile> tiles = some_tiles(2, false);
  tiles[0].own = true;
  const Rectangle window{0, 26, 800, 454};
  const auto as_laid_out = lay_out(window, tiles, LayoutMode::kGrid);
  const auto with = [&](const Rectangle& buttons) {
    auto placed = as_laid_out;
    keep_corner_from(buttons, window, placed);
    return placed;
  };
  const auto lifted = with({100, 424, 600, 44});
  EXPECT_FALSE(overlap(lifted.back().box, {100, 424, 600, 44}));
  EXPECT_EQ(lifted.back().box.x, as_laid_out.back().box.x);
  EXPECT_EQ(lifted.back().picture.y - lifted.back().box.y,
            as_laid_out.back().picture.y - as_laid_out.back().box.y);
  EXPECT_EQ(lifted.front(), as_laid_out.front());
  EXPECT_EQ(with({}), as_laid_out) << "none are seen";
  EXPECT_EQ(with({100, 424, 300, 44}), as_laid_out) << "they are beside it";
  EXPECT_EQ(with({0, 30, 800, 430}).back().box.y, window.y) << "no room above them";
}

// It need not hide what leaves so much room.
TEST(GridLayout, TheOwnPictureIsBesideANarrowOne) {
  std::vector<LayoutTile> tiles = some_tiles(4, false);
  tiles[0].own = true;
  tiles[1].aspect = {9, 16};
  tiles[1].important = true;
  const auto placed = lay_out_in({1280, 720}, tiles, LayoutMode::kSpeaker);
  EXPECT_TRUE(placed.back().corner);
  EXPECT_GT(placed.back().box.width, 200);
  for (const PlacedTile& tile : placed) {
    EXPECT_TRUE(tile.corner || !overlap(tile.box, placed.back().box)) << tile.key;
  }
}

TEST(GridLayout, TheOwnPictureIsLargeWhereItIsImportant) {
  std::vector<LayoutTile> tiles = some_tiles(3, false);
  tiles[0].own = true;
  tiles[0].important = true;
  const auto placed = lay_out_in({1280, 720}, tiles, LayoutMode::kSpeaker);
  EXPECT_FALSE(tile_of(placed, "0").corner);
  EXPECT_GT(tile_of(placed, "0").box.width, 900);
}

TEST(GridLayout, AnAspectNobodyKnowsIsAnOrdinaryOne) {
  const std::vector<LayoutTile> tiles{{.key = "0", .aspect = {0, 0}},
                                      {.key = "1", .aspect = {-4, 3}}};
  for (const PlacedTile& tile : lay_out_in({1280, 720}, tiles)) {
    EXPECT_NEAR(tile.picture.width * 9, tile.picture.height * 16, 16);
  }
}

TEST(GridLayout, TheTileAtAPlaceIsTheOneThatIsSeen) {
  std::vector<LayoutTile> tiles = some_tiles(2, false);
  tiles[0].own = true;
  const auto placed = lay_out_in({1280, 720}, tiles);
  EXPECT_EQ(tile_at(placed, 100, 100)->key, "1");
  EXPECT_EQ(tile_at(placed, 1200, 660)->key, "0");
  EXPECT_EQ(tile_at(placed, 1280, 660), nullptr);
  EXPECT_EQ(tile_at(placed, -1, 0), nullptr);
}

TEST(GridLayout, HasPlacesForTilesThatCanBeSeen) {
  EXPECT_EQ(grid_places({0, 26, 800, 454}), 20u);
  EXPECT_EQ(grid_places({0, 0, 100, 50}), 1u) << "one at least";
  EXPECT_EQ(grid_places({}), 1u);
}

}  // namespace
}  // namespace qvid::ui
