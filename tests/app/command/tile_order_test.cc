#include "app/command/tile_order.h"

#include <gtest/gtest.h>

namespace qvid::app {
namespace {

std::vector<ui::TileModel> tiles_of(const std::vector<std::string>& keys) {
  std::vector<ui::TileModel> tiles;
  for (const std::string& key : keys) {
    tiles.push_back({.key = key, .name = key, .share = key.starts_with("share")});
  }
  return tiles;
}

std::vector<std::string> arranged(TileOrder& order, const std::vector<std::string>& keys) {
  auto tiles = tiles_of(keys);
  order.arrange(tiles);
  std::vector<std::string> names;
  for (const ui::TileModel& tile : tiles) names.push_back(tile.key);
  return names;
}

using TileKeys = std::vector<std::string>;

TEST(TileOrder, NobodyMovesBecauseOfASeat) {
  TileOrder order;
  EXPECT_EQ(arranged(order, {"a", "b", "own", "c", "d"}), (TileKeys{"a", "b", "own", "c", "d"}));
  EXPECT_EQ(arranged(order, {"d", "b", "own", "a", "c"}), (TileKeys{"a", "b", "own", "c", "d"}));
}

TEST(TileOrder, WhoComesIsLastAndWhoComesAgainToo) {
  TileOrder order;
  arranged(order, {"b", "c"});
  EXPECT_EQ(arranged(order, {"a", "b", "c"}), (TileKeys{"b", "c", "a"}));
  arranged(order, {"a", "c"});
  EXPECT_EQ(arranged(order, {"a", "b", "c"}), (TileKeys{"c", "a", "b"}));
}

TEST(TileOrder, WhatIsSharedIsBeforeAllFaces) {
  TileOrder order;
  arranged(order, {"a", "b"});
  EXPECT_EQ(arranged(order, {"share 0", "a", "b"}), (TileKeys{"share 0", "a", "b"}));
}

}  // namespace
}  // namespace qvid::app
