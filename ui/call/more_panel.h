// What a call's window can do beside its buttons (call_buttons.h), each with its key. Inside a frame of
// ImGui. Thread: the main thread.
#pragma once

#include "ui/call/call_buttons.h"

namespace qvid::ui {

// What was chosen in this frame; kNone: nothing.
KeyAction draw_more_panel(const CallButtons& buttons);

}  // namespace qvid::ui
