// How a window is opened: the player's and the call's.
#pragma once

#include <string>

#include "media/picture/video_frame.h"

namespace qvid::ui {

inline constexpr float kLeastScale = 0.5f;
inline constexpr float kMostScale = 4;

struct WindowOptions {
  std::string title;
  media::PictureSize size;  // until the first picture; smaller where the display is
  bool show_overlay = false;
  bool fullscreen = false;
  float scale = 0;  // of the whole interface, kLeastScale to kMostScale; 0: the display's
};

}  // namespace qvid::ui
