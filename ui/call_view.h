// How the parts of a call look: its bar, its tiles, what has just happened. Drawn inside a frame of
// ImGui (ui/gui.h), under its windows; units are the window's. None of them takes the mouse.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ui/aspect.h"
#include "ui/grid_layout.h"
#include "ui/tile_model.h"
#include "ui/video_texture.h"

namespace qvid::ui {

// A picture on its way into a frame of ImGui: drawn when the frame is rendered, so it must live,
// and stay where it is, until the next frame begins.
struct TilePicture {
  std::shared_ptr<const VideoTexture> texture;
  Rectangle where;
};

struct TileView {
  const TileModel& model;
  const PlacedTile& place;
  TilePicture* picture = nullptr;  // null: initials and status in its place
  bool selected = false;
  Rectangle over{};  // what lies over this tile or another: the name keeps clear of it
};
void draw_tile(const TileView& tile);

struct CallBar {
  std::string room;
  std::size_t parties = 0;
  std::size_t not_shown = 0;  // of the parties
  bool camera_on = false;
  bool sharing = false;
};
inline constexpr int kCallBarHeight = 26;
// Across the upper edge.
void draw_call_bar(const CallBar& bar);

// Below the bar, at the right, one below the other.
void draw_call_notices(const std::vector<std::string>& texts);

}  // namespace qvid::ui
