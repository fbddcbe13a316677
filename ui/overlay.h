// Statistics over the picture. Drawn inside a frame of ImGui (ui/gui.h); text may be any Latin-1.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace qvid::ui {

struct OverlayModel {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;  // name, value
  std::vector<float> delay_ms;  // of recent pictures, oldest first; bounded by who fills it
  std::string status;           // banner across the lower edge; empty: none
};

// The title, the rows as a table of two columns, a plot of the delay: top left, until the mouse
// moves it.
void draw_overlay(const OverlayModel& model);

}  // namespace qvid::ui
