// How the parts of a player's window look that are neither bar nor buttons: what is seen at its upper
// right. Inside a frame of ImGui (ui/window/gui.h), in a window so many units wide.
#pragma once

#include "ui/player/player_scene.h"

namespace qvid::ui {

// That the sound is silenced, always; how loud it is, for a while after that was changed.
void draw_volume_pill(const PlayerScene& scene, float width);
// Below that, for a while after its change.
void draw_speed_pill(const PlayerScene& scene, float width);

}  // namespace qvid::ui
