// The part of a desktop that is to be shared: what a drag of the mouse and the arrow keys make of it.
//
// Invariant: it lies within the desktop, its sides are even and at least kLeastSide, where the desktop
// is that large. Pure. Units are pixels of the desktop.
#pragma once

#include "media/picture/video_frame.h"
#include "ui/window/aspect.h"

namespace qvid::ui {

class AreaChoice {
 public:
  static constexpr int kLeastSide = 64;

  // The middle, half as wide and as high as the desktop. Precondition: that is at least 2x2.
  explicit AreaChoice(media::PictureSize desktop);

  const Rectangle& area() const { return area_; }
  media::PictureSize desktop() const { return desktop_; }
  // From the corner at which a drag began to where it is now; both may be outside the desktop.
  void span(int from_x, int from_y, int to_x, int to_y);
  void move(int by_x, int by_y);
  // Its upper left corner stays.
  void grow(int by_x, int by_y);

 private:
  media::PictureSize desktop_;
  Rectangle area_;
};

}  // namespace qvid::ui
