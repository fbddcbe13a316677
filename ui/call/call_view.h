// How the parts of a call look that are of no tile (ui/call/tile_view.h): its bar, what has just
// happened, that nobody hears one. Drawn inside a frame of ImGui (ui/window/gui.h), under its
// windows; units are the window's. None of them takes the mouse.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ui/window/tile_model.h"

namespace qvid::ui {

struct CallBar {
  std::string room;
  std::size_t parties = 0;    // in the room
  std::size_t not_shown = 0;  // of those who show a picture
  bool camera_on = false;
  bool sharing = false;
  Microphone microphone = Microphone::kNone;
  float volume = 1;  // of all; told where it is another

  bool operator==(const CallBar&) const = default;
};
inline constexpr int kCallBarHeight = 26;
// Across the upper edge.
void draw_call_bar(const CallBar& bar);

// Under the bar, in the middle: one speaks and is muted.
inline constexpr int kUnheardHintHeight = 30;
void draw_unheard_hint();

// Below the bar, or so many units below that, at the right, one below the other.
void draw_call_notices(const std::vector<std::string>& texts, float below = 0);

}  // namespace qvid::ui
