// The buttons of who watches a video:
//
//   (pause) (10 s back) (10 s on) (speed) (sound) (-) (+) (layers) (statistics) (screenshot) (full) (?)
//
// Live has no other place to go to and no other speed: there those three are missing; and the layers where
// the server gives no choice of them.
#pragma once

#include <string>
#include <vector>

#include "ui/window/toolbar.h"

namespace qvid::ui {

struct PlayerButtons {
  bool paused = false;
  bool silenced = false;
  bool statistics = false;  // are shown
  bool fullscreen = false;
  double speed = 1;
  bool has_layers = false;  // they can be chosen
  bool base_alone = false;

  bool operator==(const PlayerButtons&) const = default;
};

std::vector<KeyAction> player_actions(bool stored, bool has_layers);

// "1", "1.25": of playing, without the sign behind it.
std::string speed_text(double speed);

// What a button does now, and its key: "Pause (Space)".
std::string tooltip_of(KeyAction action, const PlayerButtons& buttons);

// Inside a frame of ImGui (ui/window/gui.h).
void draw_icon(KeyAction action, const PlayerButtons& buttons, const Box& button);

}  // namespace qvid::ui
