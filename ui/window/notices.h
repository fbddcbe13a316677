// What the window says on its own: the keys, that no video has come yet, what is wrong. Drawn
// inside a frame of ImGui (ui/window/gui.h). None of them takes the mouse.
#pragma once

#include <string>

#include "ui/window/keys.h"

namespace qvid::ui {

// The list of keys, in the middle. `talk`: the desktop's, in any window, as it writes it; empty: none.
void draw_help(KeySet keys, const std::string& talk = {});
// In the middle of an empty window: what it waits for.
void draw_waiting(const std::string& text);
// A bar across the lower edge, or so many units above it; `text` is wrapped where the window is
// narrow.
void draw_banner(const std::string& text, float above = 0);
// How high that bar is, in units; inside a frame too. 0: no text, or no room.
float banner_height(const std::string& text);

}  // namespace qvid::ui
