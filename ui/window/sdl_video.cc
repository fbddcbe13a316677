#include "ui/window/sdl_video.h"

#include <SDL.h>

#include <string_view>

#include "media/source/x_authority.h"

namespace qvid::ui {
namespace {

// Where there is no display SDL falls back to a driver that draws into memory. That is a window
// only for those who ask for it in the environment.
bool nobody_sees() {
  const char* driver = SDL_GetCurrentVideoDriver();
  return SDL_GetHint(SDL_HINT_VIDEODRIVER) == nullptr && driver != nullptr &&
         std::string_view(driver) == "offscreen";
}

}  // namespace

SdlVideo::SdlVideo() {
  SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
  SDL_SetHint(SDL_HINT_APP_NAME, "Qvid");
  SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
  media::name_x_authority();
  ok_ = SDL_InitSubSystem(SDL_INIT_VIDEO) == 0;
  if (ok_ && nobody_sees()) {
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
    ok_ = false;
    SDL_SetError("there is no display");
  }
}

SdlVideo::~SdlVideo() {
  if (ok_) SDL_QuitSubSystem(SDL_INIT_VIDEO);
}

}  // namespace qvid::ui
