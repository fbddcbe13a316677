// How one tile of a call looks: the picture, or initials in its place, and over it a name plate
// with what is to be known of its sound.
//
//   +----------------------+    who speaks has a green frame, which glows as loud as that is;
//   | hand pin     (muted) |    at the upper right, of one's own tile alone: what others hear
//   |                      |
//   | |M S name 150 %   .:| |    |: how loud; M: sends no sound; S: silenced here; at the right
//   +----------------------+    the connection
//
// Where it is too small for a plate M and S stand alone. Drawn inside a frame of ImGui
// (ui/window/gui.h), under its windows; units are the window's. It takes no mouse.
#pragma once

#include <memory>

#include "ui/call/grid_layout.h"
#include "ui/window/aspect.h"
#include "ui/window/tile_model.h"
#include "ui/window/video_texture.h"

struct ImDrawList;

namespace qvid::ui {

// A picture on its way into a frame of ImGui: drawn when the frame is rendered, so it must live,
// and stay where it is, until the next frame begins.
struct TilePicture {
  std::shared_ptr<VideoTexture> texture;
  Rectangle where;
};

// What the list has drawn so far lies below it. Within the list's clip rectangle.
void draw_in_list(ImDrawList& list, TilePicture& picture);

struct TileView {
  const TileModel& model;
  const PlacedTile& place;
  TilePicture* picture = nullptr;  // null: initials and status in its place
  bool selected = false;
  Microphone microphone = Microphone::kNone;  // of one's own tile; else not looked at
  Rectangle over{};     // what lies over this tile or another: the name keeps clear of it
  Rectangle buttons{};  // lie over all, for a while: words that they would hide wait for it to end
};
void draw_tile(const TileView& tile);

}  // namespace qvid::ui
