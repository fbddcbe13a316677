// SDL's video, and no other part of SDL, for as long as the object lives. SDL counts its users.
//
// SDL is told to leave signals alone (Ctrl-C is the app's) and not to stop the desktop's
// compositor. Thread: the main thread.
#pragma once

namespace qvid::ui {

class SdlVideo {
 public:
  SdlVideo();
  ~SdlVideo();
  SdlVideo(const SdlVideo&) = delete;
  SdlVideo& operator=(const SdlVideo&) = delete;
  // False: there is no display; SDL_GetError() says why.
  bool ok() const { return ok_; }

 private:
  bool ok_ = false;
};

}  // namespace qvid::ui
