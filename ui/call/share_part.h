// Choosing a part of the desktop: a still picture of it, in which one draws a rectangle.
//
// With the mouse one drags it; arrows move it, with Shift they size it, by kStep pixels of the desktop,
// with Ctrl by kFineStep. Drawn inside a frame of ImGui, in its window. Thread: the main thread.
#pragma once

#include <cstdint>
#include <optional>

#include "ui/call/area_choice.h"
#include "ui/call/tile_view.h"

struct SDL_Keysym;

namespace qvid::ui {

class SharePart {
 public:
  static constexpr int kStep = 16;
  static constexpr int kFineStep = 2;
  enum class Answer : std::uint8_t { kNone, kShare, kBack };

  explicit SharePart(media::PictureSize desktop) : choice_(desktop) {}

  const Rectangle& area() const { return choice_.area(); }
  // True: it moved or sized the rectangle.
  bool handle_key(const SDL_Keysym& key);
  // The mouse's button went down, the mouse moved, the button went up there: in units. True: it was the
  // rectangle's.
  bool press(int x, int y);
  bool move(int x, int y);
  void release() { drag_.reset(); }
  // `still`: the desktop's picture, to be placed; it stays where it is until the next frame. What a
  // button of it was pressed for.
  Answer draw(TilePicture& still);

 private:
  struct Drag {
    int x = 0;  // where it began
    int y = 0;
    bool moved = false;
  };
  void draw_area(const Rectangle& place) const;

  AreaChoice choice_;
  Rectangle place_{};         // of the desktop's picture, as it was drawn last; in units
  std::optional<Drag> drag_;  // while the mouse's button is down
};

}  // namespace qvid::ui
