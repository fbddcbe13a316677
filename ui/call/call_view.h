// How the parts of a call look that are of no tile (ui/call/tile_view.h): its bar, what has just
// happened, that nobody hears one. Drawn inside a frame of ImGui (ui/window/gui.h), under its
// windows; units are the window's. None of them takes the mouse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ui/window/tile_model.h"

namespace qvid::ui {

struct CallBar {
  std::string room;
  std::string recorders{};    // told before all else, however narrow it is
  std::size_t parties = 0;    // in the room
  std::size_t not_shown = 0;  // of those who show a picture
  std::size_t page = 0;       // of the tiles, from 0 on
  std::size_t pages = 1;
  bool camera_on = false;
  bool camera_fault = false;
  bool sharing = false;
  bool frozen = false;  // what is shared
  Microphone microphone = Microphone::kNone;
  float volume = 1;          // of all; told where it is another
  std::uint64_t unread = 0;  // messages of chat

  bool operator==(const CallBar&) const = default;
};
inline constexpr int kCallBarHeight = 26;
// Across the upper edge.
void draw_call_bar(const CallBar& bar);

// Under the bar, in the middle of so wide a part of the window: one speaks and is muted.
inline constexpr int kUnheardHintHeight = 30;
void draw_unheard_hint(float width);

// Below the bar, or so many units below that, at the right of so wide a part of the window, one below
// the other.
void draw_call_notices(const std::vector<std::string>& texts, float width, float below = 0);

}  // namespace qvid::ui
