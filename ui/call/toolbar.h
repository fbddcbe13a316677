// The buttons of a call: for mouse and touch what keys do (ui/window/keys.h).
//
//   (mic) (camera) (screen) (hand) (chat) (people) (layout) (full) (?) [leave]
//
// in the middle of the lower edge.
//
// They are seen for kStays after the mouse moved or a button was pressed, and while the mouse is
// over one of them. What has not been drawn cannot be pressed: a finger that comes down on a bare
// picture brings the buttons, and does nothing else. They look another way only where point() says
// so, after press() and leave(), and at end(). Sizes and places are in units. Thread: the main
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "ui/call/grid_layout.h"
#include "ui/window/aspect.h"
#include "ui/window/keys.h"
#include "ui/window/tile_model.h"

namespace qvid::ui {

struct ToolbarModel {
  Microphone microphone = Microphone::kNone;
  bool camera_on = false;
  bool sharing = false;
  LayoutMode layout = LayoutMode::kGrid;
  bool fullscreen = false;
  std::uint64_t unread = 0;  // messages of chat
  int hands = 0;             // that are raised
  bool own_hand = false;

  bool operator==(const ToolbarModel&) const = default;
};

struct ToolbarButton {
  KeyAction action = KeyAction::kNone;
  Rectangle place{};
};

// In a window of this size, or what is left of it, so many units above its lower edge; smaller where it is narrow. All are
// within the window, unless it is too small for any: then there are none.
std::vector<ToolbarButton> lay_out_toolbar(media::PictureSize window, int above);

// What a button does now, and its key: "Mute (m)".
std::string tooltip_of(KeyAction action, const ToolbarModel& model);

class Toolbar {
 public:
  static constexpr Duration kStays = std::chrono::seconds(3);

  // Where the next drawing and the mouse after it find the buttons; where they are not seen, in a
  // window without area.
  void place(media::PictureSize window, int above) {
    buttons_ = lay_out_toolbar(window, above);
    width_ = window.width;
  }
  // The mouse is there now. True: it looks another way.
  bool point(int x, int y, Timestamp now);
  // A button of the mouse went down, or a finger. Empty: beside all of them.
  std::optional<KeyAction> press(int x, int y, Timestamp now);
  // The mouse has left the window.
  void leave() { hovered_ = KeyAction::kNone; }

  bool seen(Timestamp now) const;
  // When it goes; empty: it is not seen, or stays.
  std::optional<Timestamp> end(Timestamp now) const;
  KeyAction hovered() const { return hovered_; }
  // Inside a frame of ImGui.
  void draw(const ToolbarModel& model) const;

 private:
  KeyAction button_at(int x, int y) const;

  std::vector<ToolbarButton> buttons_;
  int width_ = 0;  // of the window
  KeyAction hovered_ = KeyAction::kNone;
  std::optional<Timestamp> touched_;
};

}  // namespace qvid::ui
