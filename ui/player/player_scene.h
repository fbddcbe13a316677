// All that a drawing of a player's window shows, but for the pictures (ui/window/drawn_scene.h).
#pragma once

#include <optional>
#include <string>

#include "media/picture/video_frame.h"
#include "ui/player/player_buttons.h"
#include "ui/window/keys.h"
#include "ui/window/overlay.h"

namespace qvid::ui {

struct PlayerScene {
  bool waiting = false;  // no picture has come
  std::string status{};
  bool stored = false;                      // there is a bar, and what belongs to it
  std::optional<ProgressModel> progress{};  // where the bar is seen
  std::optional<Duration> pointed{};        // there
  bool preview = false;                     // a small picture of that
  bool pause_sign = false;
  std::optional<float> volume{};  // while it is shown
  std::optional<double> speed{};  // the same
  PlayerButtons buttons{};
  bool toolbar_seen = false;
  KeyAction hovered = KeyAction::kNone;
  bool help = false;
  OverlayModel overlay{};  // where it is shown
  media::PictureSize output{};

  bool operator==(const PlayerScene&) const = default;
};

}  // namespace qvid::ui
