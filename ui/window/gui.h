// ImGui for one window: its context, its input from SDL, its renderer.
//
// Invariant: the context is made current before each use, so that windows do not see one another.
// Between end_frame() and the next begin_frame() render() may be called any number of times.
// Thread: the main thread.
#pragma once

#include <memory>

#include "ui/window/imgui_renderer.h"
#include "ui/window/sdl_handles.h"

struct ImGuiContext;
union SDL_Event;

namespace qvid::ui {

class Gui {
 public:
  Gui(SDL_Window& window, SDL_Renderer& renderer);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  void handle(const SDL_Event& event);
  // The mouse is over something of ImGui's, so its clicks are not for the window.
  bool wants_mouse() const;

  void begin_frame();
  void end_frame();
  void render() const;
  // The device has lost its textures: render() draws nothing until the next frame, for the last one
  // points at those.
  void reload_textures();

 private:
  struct ContextDeleter {
    void operator()(ImGuiContext* context) const;
  };
  void use() const;
  void load_font(float pixels_per_unit);

  SDL_Window& window_;
  SDL_Renderer& sdl_;
  std::unique_ptr<ImGuiContext, ContextDeleter> context_;
  ImGuiRenderer renderer_;
  bool renderable_ = false;  // the last frame is over, and its textures are there
  float font_scale_ = 0;     // pixels per unit of the window that the font was drawn for
};

}  // namespace qvid::ui
