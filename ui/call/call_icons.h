// The pictures on a call's buttons, drawn as shapes. Inside a frame of ImGui (ui/window/gui.h).
#pragma once

#include "ui/call/call_buttons.h"
#include "ui/window/paint.h"

namespace qvid::ui {

// In the middle of the button; struck through where what it stands for is off.
void draw_icon(KeyAction action, const CallButtons& buttons, const Box& button);

}  // namespace qvid::ui
