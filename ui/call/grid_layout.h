// Where the pictures of a call go in a window.
//
//   kGrid                kSpeaker                        one's own picture, where others are there
//   +----+ +----+        +------------+ +---+            +------------+
//   | a  | | b  |        |            | | b |            |            |
//   +----+ +----+        |     a      | +---+            |     a      |
//      +----+            |            | +---+            |       +----+
//      | c  |            |            | | c |            |       |own |
//      +----+            +------------+ +---+            +-------+----+
//
// All boxes of a grid are equal, and as many columns wide as leave the pictures the most area. The
// strip beside a large picture is such a grid too, at its right or below it, whichever wastes less.
// Each picture has its own aspect, in the middle of its box. The order is that of the tiles: nobody
// moves because somebody else speaks, but for who is large.
//
// Invariant: every box is within the window, every picture within its box; no two boxes share a
// pixel, but for the own picture in the corner, which lies over another. Where the window is too
// small for so many they are empty.
//
// Pure; units are the window's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "media/picture/video_frame.h"
#include "ui/window/aspect.h"

namespace qvid::ui {

enum class LayoutMode : std::uint8_t {
  kGrid,     // all equal
  kSpeaker,  // the first tile that is important is large; without one as kGrid
};

struct LayoutTile {
  std::string key{};
  media::PictureSize aspect{16, 9};  // any size of that aspect
  bool important = false;
  bool own = false;  // the first of these goes to the corner, unless it is the large one or alone
};

struct PlacedTile {
  std::string key{};
  Rectangle box{};
  Rectangle picture{};  // within the box
  bool corner = false;  // lies over the others

  bool operator==(const PlacedTile&) const = default;
};

// In the order of the tiles, but for the picture in the corner, which is last: the order in which
// they are to be drawn.
std::vector<PlacedTile> lay_out(const Rectangle& window, std::span<const LayoutTile> tiles,
                                LayoutMode mode);

// The picture in the corner goes up, as far as its window does, where it would lie under `over`.
void keep_corner_from(const Rectangle& over, const Rectangle& window,
                      std::vector<PlacedTile>& tiles);

// Tiles that a grid in this room has place for, none smaller than kLeastGridTile in its box; one at
// least.
inline constexpr media::PictureSize kLeastGridTile{160, 100};
std::size_t grid_places(const Rectangle& room);
// The same of the strip beside a large one, of boxes of kLeastStripTile or more.
inline constexpr media::PictureSize kLeastStripTile{96, 60};
std::size_t strip_places(const Rectangle& room);

// The tile that is seen at this place; null: none.
const PlacedTile* tile_at(std::span<const PlacedTile> tiles, int x, int y);

}  // namespace qvid::ui
