// ImGui for one window: its context, its input from SDL, its renderer.
//
// Invariant: the context is made current before each use, so that windows do not see one another.
// Between two frames render() may be called any number of times.
//
// Units are those of the window, times `scale`: the whole interface is that much larger.
// Thread: the main thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "ui/text/fonts.h"
#include "ui/window/imgui_renderer.h"
#include "ui/window/sdl_handles.h"

struct ImGuiContext;
union SDL_Event;

namespace qvid::ui {

class Gui {
 public:
  Gui(SDL_Window& window, SDL_Renderer& renderer, float scale);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // With the mouse in units.
  void handle(const SDL_Event& event);
  // The mouse is over something of ImGui's, so its clicks are not for the window.
  bool wants_mouse() const;
  // One of ImGui's windows has the focus, and moves in it by keys; or a text is typed there. In its
  // last frame.
  bool wants_keys() const;
  bool wants_text() const;
  // None of ImGui's windows has the focus from now on. Between frames.
  void leave_windows();
  // A field of ImGui's is being typed in, or a list of its is open: Escape is for them.
  bool is_editing() const;

  // `draw` uses ImGui and paint.h. Where it has written characters that the fonts do not hold yet,
  // they are loaded and it is called once more, so that no drawing lacks them. True: they were, and all text
  // may look a little different.
  bool frame(const std::function<void()>& draw);
  void render();
  // Of the last frame.
  float pixels_per_unit() const { return font_scale_; }
  // In this rectangle alone, over what is there.
  void render_part(const Rectangle& units);
  // The same where nothing but pictures is new since render() or render_part().
  void render_part_again(const Rectangle& units);
  // The last frame looks as the one before, but for pictures and these rectangles.
  void same_but_for(std::span<const Rectangle> changed);
  // The device has lost its textures: render() draws nothing until the next frame, for the last one
  // points at those.
  void reload_textures();

 private:
  struct ContextDeleter {
    void operator()(ImGuiContext* context) const;
  };
  void use() const;
  void handle_text(const SDL_Event& event);
  void take_clipboard();
  bool begin_frame();
  void end_frame();
  void take_scaled() const;

  SDL_Window& window_;
  SDL_Renderer& sdl_;
  const float scale_;
  Fonts fonts_;
  std::unique_ptr<ImGuiContext, ContextDeleter> context_;
  ImGuiRenderer renderer_;
  std::string clipboard_;    // what a field was given of it last
  bool renderable_ = false;  // the last frame is over, and its textures are there
  float font_scale_ = 0;     // pixels per unit that the fonts were drawn for
};

}  // namespace qvid::ui
