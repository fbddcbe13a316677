// A raised hand, drawn as a shape. Inside a frame of ImGui (ui/window/gui.h).
#pragma once

#include <imgui.h>

#include "ui/window/paint.h"

namespace qvid::ui {

// In a square of `side` units, whose upper left corner is `at`.
void draw_hand(const ImVec2& at, float side, ImU32 color);
// On a tile: the hand, and which it is of those that are raised. Its height is kHandHeight; gives its
// width.
inline constexpr float kHandHeight = 22;
float draw_raised_hand(const ImVec2& at, int number);

}  // namespace qvid::ui
