// How a window is opened: the player's and the call's.
#pragma once

#include <string>

#include "media/picture/video_frame.h"

namespace qvid::ui {

struct WindowOptions {
  std::string title;
  media::PictureSize size;  // until the first picture; smaller where the display is
  bool show_overlay = false;
  bool fullscreen = false;
};

}  // namespace qvid::ui
