// The buttons of a call:
//
//   (mic) (camera) (screen) (hand) (chat) (people) (devices) (layout) (full) (...) [leave]
//
// While one shares, one to freeze it stands beside that of the screen.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ui/call/grid_layout.h"
#include "ui/window/tile_model.h"
#include "ui/window/toolbar.h"

namespace qvid::ui {

struct CallButtons {
  Microphone microphone = Microphone::kNone;
  bool camera_on = false;
  bool sharing = false;
  bool frozen = false;  // what is shared
  LayoutMode layout = LayoutMode::kGrid;
  bool fullscreen = false;
  std::uint64_t unread = 0;  // messages of chat
  int hands = 0;             // that are raised
  bool own_hand = false;
  bool recording = false;  // oneself

  bool operator==(const CallButtons&) const = default;
};

std::span<const KeyAction> call_actions(bool sharing);
// What has no button: in the panel of `kMore`.
std::span<const KeyAction> more_actions();
// What it does now: "Mute".
std::string name_of(KeyAction action, const CallButtons& now);

// What a button does now, and its key: "Mute (m)".
std::string tooltip_of(KeyAction action, const CallButtons& buttons);

}  // namespace qvid::ui
