// The keyboard's focus in a window of ImGui: always seen, and pressed by Space and by Enter. Inside a
// frame of ImGui (ui/window/gui.h); units are the window's. Thread: the main thread.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <string>

#include "ui/window/paint.h"

namespace qvid::ui {

// Draws what is in a window of ImGui so that Tab and the arrows go from one thing to the next, and the
// first key does so, or presses; else ImGui takes that one to show where the focus is, and no more.
void draw_by_keys(const std::function<void()>& content);
// Around the item that was drawn last, where it has the focus.
void show_focus();
// The item that was drawn last has it from now on.
void focus_last_item();
// Enter was pressed there, and the item does not say so itself.
bool entered();

// A line of a list: `text` and, fainter, `more`. Before them, where that is given, a picture, drawn into
// a box of kLinePicture in the window's draw list; `more` is below `text` then, or that may take two lines. Where some lines are marked by a dot, the others leave
// room for it. True: it was pressed.
inline const ImVec2 kLinePicture{64, 40};
enum class LineMark : std::uint8_t { kNone, kDot, kNoDot };
bool draw_line(const std::string& id, const std::string& text, const std::string& more,
               LineMark mark = LineMark::kNone,
               const std::function<void(const Box&)>& picture = {});
// A box to be ticked, by Space and Enter, too.
void draw_box(const std::string& text, bool& ticked);

}  // namespace qvid::ui
