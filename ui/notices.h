// What the window says on its own: the keys, that no video has come yet, what is wrong. Drawn
// inside a frame of ImGui (ui/gui.h). None of them takes the mouse.
#pragma once

#include <string>

namespace qvid::ui {

// The list of keys, in the middle.
void draw_help();
// In the middle of an empty window.
void draw_waiting();
// A bar across the lower edge, or so many units above it; `text` is wrapped where the window is
// narrow.
void draw_banner(const std::string& text, float above = 0);

}  // namespace qvid::ui
