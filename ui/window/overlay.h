// Statistics over the picture. Drawn inside a frame of ImGui (ui/window/gui.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/window/progress_bar.h"

namespace qvid::ui {

struct OverlayModel {
  std::string title{};
  std::vector<std::pair<std::string, std::string>> rows{};  // name, value
  std::vector<float> delay_ms{};  // of recent pictures, oldest first; bounded by who fills it
  std::string status{};           // banner across the lower edge; empty: none
  std::optional<ProgressModel> progress{};  // of a stored video
  bool paused = false;
  float volume = 1;         // of the sound; 1: as it was sent; a change is shown for a while
  bool silenced = false;    // the sound is not played
  double speed = 1;         // of a stored video
  bool has_layers = false;  // they can be chosen
  bool base_alone = false;  // of them the lowest is wanted

  bool operator==(const OverlayModel&) const = default;
};

// The title, the rows as a table of two columns, a plot of the delay: top left, or so many units
// below that, until the mouse moves it.
void draw_overlay(const OverlayModel& model, float below = 0);

}  // namespace qvid::ui
