// The pages before a call (ui/start/start_model.h). Inside a frame of ImGui (ui/window/gui.h); units
// are the window's. Thread: the main thread.
#pragma once

#include <optional>

#include "ui/start/start_model.h"
#include "ui/window/aspect.h"

namespace qvid::ui {

struct StartDrawn {
  std::optional<StartAction> action{};  // what was pressed
  Rectangle picture{};                  // where one's own goes; empty: there is no place
};

// `has_picture`: one lies there already, under what is drawn here.
StartDrawn draw_start(const StartModel& model, StartEntries& entries, bool has_picture);

// For start_view.cc.
StartDrawn draw_join_page(const StartModel& model, StartEntries& entries, bool has_picture);

}  // namespace qvid::ui
