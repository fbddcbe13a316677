// Draws what ImGui has laid out, on an SDL renderer. ImGui's own backend for this is not part of
// every distribution's package; this one needs nothing but ImGui's draw lists.
//
// A callback in a draw list may draw on the renderer itself, in units of the window: that is how a
// picture comes to lie between what ImGui draws below and above it.
//
// Invariant: the renderer's viewport, scale and clip rectangle after render() are those before; its
// colour is not.
// Thread: the renderer's.
#pragma once

#include "ui/window/aspect.h"
#include "ui/window/sdl_handles.h"

struct ImDrawData;

namespace qvid::ui {

class ImGuiRenderer {
 public:
  explicit ImGuiRenderer(SDL_Renderer& renderer);

  // Takes the current ImGui context's font atlas to the device: after a change of fonts, and when
  // the device has lost its textures. False: no texture, text will not be drawn.
  bool load_fonts();
  void render(const ImDrawData& data) const;
  // In this rectangle alone, in units, over what is there.
  void render_part(const ImDrawData& data, const Rectangle& units) const;

 private:
  SDL_Renderer& renderer_;
  const bool on_processor_;
  TextureHandle fonts_;
};

}  // namespace qvid::ui
