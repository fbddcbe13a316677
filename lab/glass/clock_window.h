// The clock on a display: a window of 640x400 above all others that shows the picture of each
// number (lab/glass/clock_picture.h) when its time has come.
//
// Thread: one.
#pragma once

#include <string>

#include "base/units.h"
#include "lab/glass/clock_picture.h"
#include "lab/glass/x_display.h"

namespace qvid::lab {

class ClockWindow {
 public:
  // Throws std::runtime_error where the display cannot show it.
  explicit ClockWindow(const std::string& display);

  // Draws the picture after the one of `now`. When it is to be shown.
  Timestamp prepare(Timestamp now);
  // Shows it, and waits until the server has done so. Throws where the server is gone.
  void show();

 private:
  void hide_pointer() const;
  void stay_on_top() const;

  XDisplay display_;
  SharedPixels shared_;
  ClockPicture picture_;
  xcb_window_t window_;
  xcb_gcontext_t context_;
};

}  // namespace qvid::lab
