// What every window needs and no window shows: SDL's window and renderer, ImGui on them, the turn
// that waits for input, full screen, and what was drawn as a file.
//
//   open -> { wait -> gui().frame -> present }*
//
// What is seen is drawn in this order: a dark ground, the pictures (a function that the owner
// gives), ImGui. Sizes and places, those of the mouse in events too, are in units: of the window,
// times the scale of the interface. Textures of the owner are to be gone before the shell.
//
// Thread: the main thread only, except wake().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "ui/window/aspect.h"
#include "ui/window/gui.h"
#include "ui/window/sdl_handles.h"
#include "ui/window/sdl_video.h"
#include "ui/window/window_options.h"

union SDL_Event;

namespace qvid::ui {

class WindowShell {
 public:
  // Draws on the renderer, in pixels; given is how many there are.
  using Pictures = std::function<void(media::PictureSize output)>;

  // Error: there is no display, or nothing to draw with.
  static Result<std::unique_ptr<WindowShell>> open(const WindowOptions& options);
  WindowShell(const WindowShell&) = delete;
  WindowShell& operator=(const WindowShell&) = delete;

  // One turn: returns at wake(), after `at_most`, or when `handle`, which is given every event of
  // SDL, says that the owner shall have its turn. A few turns after input are short, because ImGui
  // lays new text out in two steps. At a loss of the device the owner reloads its textures; the
  // shell has reloaded ImGui's.
  void wait(Duration at_most, const std::function<bool(const SDL_Event&)>& handle);
  // Any thread, as long as the shell exists. Until wait() has seen one, further calls add nothing,
  // so SDL's queue cannot fill.
  void wake();
  // The turn is one of those.
  bool settling() const { return settling_; }

  Gui& gui() { return *gui_; }
  SDL_Renderer& renderer() { return *renderer_; }

  void set_title(const std::string& title);
  bool attended() const;  // it has the keyboard
  bool fullscreen() const { return fullscreen_; }
  void set_fullscreen(bool on);
  // Whether there is something to click on: without it no pointer is seen in full screen. True at
  // first.
  void set_clickable(bool on);
  // The window takes the shape of a picture of this size, unless it fills the screen.
  void fit_to(media::PictureSize nominal);
  media::PictureSize size() const;         // in units
  media::PictureSize output_size() const;  // in pixels; no area where there is nothing to draw on

  void present(const Pictures& pictures);
  // The same without pictures of the owner's, where only these rectangles, in units, look another way than
  // what was presented last, and nothing of them is left bare. Where SDL draws on the processor nothing else
  // is drawn.
  // kPictures: and of ImGui's nothing is new since the last frame of it was presented.
  enum class Parts : std::uint8_t { kAll, kPictures };
  void present_parts(std::span<const Rectangle> parts, Parts which);
  // Writes what present() would show to `path` as PNG; gives the path back.
  Result<std::string> screenshot(const std::string& path, const Pictures& pictures);

 private:
  explicit WindowShell(const WindowOptions& options);
  bool ok() const { return gui_.has_value() && wake_event_ != ~std::uint32_t{0}; }
  void to_units(SDL_Event& event) const;
  bool handle_own(const SDL_Event& event);
  void show_cursor() const;
  void compose(const Pictures& pictures);

  SdlVideo video_;
  WindowHandle window_;
  RendererHandle renderer_;
  std::optional<Gui> gui_;
  float scale_ = 1;  // a unit, in units of SDL's window

  bool clickable_ = true;
  bool fullscreen_ = false;
  int turns_to_settle_;
  bool settling_ = false;

  std::uint32_t wake_event_ = ~std::uint32_t{0};
  std::atomic<bool> woken_ = false;  // a wake event is in SDL's queue, or about to be
};

}  // namespace qvid::ui
