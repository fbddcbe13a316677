// The sign of a connection, drawn as bars: one, two or three of three, in a colour of its own, on a
// dark ground. Inside a frame of ImGui (ui/window/gui.h); units are the window's.
#pragma once

#include <imgui.h>

#include "ui/window/paint.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

inline constexpr float kLinkSignWidth = 22;
// Of a line's height; `at` is its upper left corner. Nothing where the quality is not known.
void draw_link_sign(LinkQuality quality, const ImVec2& at, float height);
// The words of a sign on one line and a ground of their own, that ends at `right` and stands on
// `bottom`, and is no wider than `most`. Not where `covered` would hide some of it.
void draw_link_words(const Link& link, float right, float bottom, float most, const Box& covered);

}  // namespace qvid::ui
