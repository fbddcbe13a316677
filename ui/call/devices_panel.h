// Cameras, microphones and loudspeakers to choose from in a call, in its side panel: a line for each, a
// dot at those in use. Thread: the main thread.
#pragma once

#include <optional>

#include "ui/call/devices_model.h"

namespace qvid::ui {

// Inside a frame of ImGui. The one that was chosen in this frame.
std::optional<DeviceInput> draw_devices_panel(const DevicesModel& model);

}  // namespace qvid::ui
