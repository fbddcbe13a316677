// The panel at the right of a call's window: where it is, and its frame. A panel of its own takes the
// mouse and, while it has the focus, the keyboard (ui/window/gui.h); what is left of the window is
// the call's. Units are the window's.
#pragma once

#include <cstdint>
#include <functional>

#include "media/picture/video_frame.h"
#include "ui/window/aspect.h"

namespace qvid::ui {

enum class PanelKind : std::uint8_t { kNone, kChat, kPeople, kShare, kDevices, kMore };

// `all`: of the window's width, as of one that is too narrow for both. `above`, `below`: taken from its
// upper and lower edge.
Rectangle place_panel(media::PictureSize window, int above, int below, bool all = false);

// Inside a frame of ImGui; `content` draws what is in it. `focus`: it takes the keyboard. False: its
// closing button was pressed.
bool draw_panel(const Rectangle& place, const char* title, bool focus,
                const std::function<void()>& content);

}  // namespace qvid::ui
