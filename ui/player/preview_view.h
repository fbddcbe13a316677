// A small picture of the place that the mouse points at, above the bar. Units are the window's.
#pragma once

#include <string>

#include "ui/window/aspect.h"

namespace qvid::ui {

// For a picture of this shape over `x`, wholly within a window of this size and above what takes so
// much of its lower edge. Empty: there is no room for it.
Rectangle place_preview(media::PictureSize picture, float x, media::PictureSize window, int below);

// Inside a frame of ImGui: its frame, and the place in words across its lower edge.
void draw_preview_frame(const Rectangle& picture, const std::string& place);
// The words alone, while there is no picture.
void draw_preview_text(float x, media::PictureSize window, int below, const std::string& place);

}  // namespace qvid::ui
