// Buttons in the middle of a window's lower edge: for mouse and touch what keys do
// (ui/window/keys.h). Which they are, and how they look, the window says.
//
// They are seen for kStays after the mouse moved or a button was pressed, and while the mouse is
// over one of them. What has not been drawn cannot be pressed: a finger that comes down on a bare
// picture brings the buttons, and does nothing else. They look another way only where point() says
// so, after press() and leave(), and at end(). Sizes and places are in units. Thread: the main
// thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "ui/window/aspect.h"
#include "ui/window/keys.h"
#include "ui/window/paint.h"

namespace qvid::ui {

struct ToolbarButton {
  KeyAction action = KeyAction::kNone;
  Rectangle place{};
};

// In a window of this size, or what is left of it, so many units above its lower edge; smaller where
// it is narrow. All are within the window, unless it is too small for any: then there are none.
std::vector<ToolbarButton> lay_out_toolbar(std::span<const KeyAction> actions,
                                           media::PictureSize window, int above);

class Toolbar {
 public:
  static constexpr Duration kStays = std::chrono::seconds(3);

  struct Look {
    std::function<void(KeyAction action, const Box& button)> icon;
    std::function<std::string(KeyAction action)> tooltip;
  };

  // Where the next drawing and the mouse after it find the buttons; where they are not seen, in a
  // window without area.
  void place(std::span<const KeyAction> actions, media::PictureSize window, int above);
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
  // What the buttons cover that were placed last; empty: none was.
  Rectangle area() const;
  // Inside a frame of ImGui.
  void draw(const Look& look) const;

 private:
  KeyAction button_at(int x, int y) const;
  void draw_tooltip(const std::string& text, const Box& button) const;

  std::vector<ToolbarButton> buttons_;
  int width_ = 0;  // of the window
  struct {
    int x = 0;
    int y = 0;
  } mouse_{};  // at the last point()
  KeyAction hovered_ = KeyAction::kNone;
  std::optional<Timestamp> touched_;
};

// A tooltip with the action's key behind it: "Mute (m)".
std::string with_key(const std::string& name, KeySet set, KeyAction action);

}  // namespace qvid::ui
