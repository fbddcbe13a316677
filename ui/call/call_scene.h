// All that a drawing of a call shows, but for the pictures: what was drawn once need not be again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "media/picture/video_frame.h"
#include "ui/call/call_buttons.h"
#include "ui/call/call_view.h"
#include "ui/call/chat_model.h"
#include "ui/call/devices_model.h"
#include "ui/call/people_model.h"
#include "ui/call/side_panel.h"
#include "ui/call/tile_pictures.h"
#include "ui/window/overlay.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

struct CallScene {
  std::vector<TileModel> tiles{};
  std::map<std::string, PictureShape> shapes{};  // of their pictures, by key
  std::string chosen{};                          // key of a tile
  CallBar bar{};
  std::string status{};
  std::vector<std::string> notices{};
  CallButtons buttons{};
  bool toolbar_seen = false;
  KeyAction hovered = KeyAction::kNone;
  OverlayModel overlay{};      // where it is shown
  std::string talk_trigger{};  // the same, with the help
  PanelKind panel = PanelKind::kNone;
  ChatModel chat{};      // where it is shown
  PeopleModel people{};  // the same
  DevicesModel devices{};
  bool reduced_motion = false;
  media::PictureSize output{};

  bool operator==(const CallScene&) const = default;
};

// The same where no tile is drawn.
inline bool differ_in_tiles_alone(const CallScene& one, CallScene other) {
  other.tiles = one.tiles;
  other.shapes = one.shapes;
  return one == other;
}

}  // namespace qvid::ui
