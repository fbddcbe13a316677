// The order of a call's tiles: as they came. Nobody's tile moves because a seat shows somebody else now, so that
// a page of them stays the same people.
//
// Bound: the tiles of the last call. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ui/window/tile_model.h"

namespace qvid::app {

class TileOrder {
 public:
  // What is shared stays before all faces.
  void arrange(std::vector<ui::TileModel>& tiles) {
    std::map<std::string, std::uint64_t> places;
    for (const ui::TileModel& tile : tiles) {
      const auto known = places_.find(tile.key);
      places.emplace(tile.key, known == places_.end() ? next_++ : known->second);
    }
    places_ = std::move(places);
    const auto place_of = [this](const ui::TileModel& tile) {
      return std::pair(!tile.share || tile.own, places_.at(tile.key));
    };
    // As a rule they are: sorting would copy them all.
    if (!std::ranges::is_sorted(tiles, {}, place_of)) {
      std::ranges::stable_sort(tiles, {}, place_of);
    }
  }

 private:
  std::map<std::string, std::uint64_t> places_;  // by key
  std::uint64_t next_ = 0;
};

}  // namespace qvid::app
