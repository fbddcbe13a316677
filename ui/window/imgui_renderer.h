// Draws what ImGui has laid out, on an SDL renderer. ImGui's own backend for this is not part of
// every distribution's package; this one needs nothing but ImGui's draw lists.
//
// A callback in a draw list may draw on the renderer itself, in units of the window: that is how a
// picture comes to lie between what ImGui draws below and above it. Where SDL clips exactly
// (renderer.h) it fills the list's clip rectangle.
//
// Where SDL draws on the processor it takes longer to draw the letters and signs over a picture than the picture.
// What is drawn again and again for new pictures alone is therefore kept as pixels (pixel_layer.h).
//
// Invariant: the renderer's viewport, scale and clip rectangle after render() are those before; its
// colour is not.
// Thread: the renderer's.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ui/window/aspect.h"
#include "ui/window/pixel_layer.h"
#include "ui/window/sdl_handles.h"

struct ImDrawCmd;
struct ImDrawData;
struct ImDrawList;

namespace qvid::ui {

class ImGuiRenderer {
 public:
  explicit ImGuiRenderer(SDL_Renderer& renderer);

  // Takes the current ImGui context's font atlas to the device: after a change of fonts, and when
  // the device has lost its textures. False: no texture, text will not be drawn.
  bool load_fonts();
  void render(const ImDrawData& data);
  // In this rectangle alone, in units, over what is there.
  void render_part(const ImDrawData& data, const Rectangle& units);
  // The same where nothing but what the callbacks draw is new since the frame's first drawing: all else is copied from
  // the third time on, since keeping it takes as long as drawing it twice. Until begin_frame() the frame must stay as
  // it is. Precondition: SDL draws on the processor, and clips exactly (renderer.h).
  void render_part_again(const ImDrawData& data, const Rectangle& units);
  // Another frame follows. What is kept of the one before is of use where same_but_for() says so.
  void begin_frame();
  // That frame looks as the one before, but for these rectangles and what the callbacks draw.
  void same_but_for(const ImDrawData& data, std::span<const Rectangle> changed);

 private:
  // Within a rectangle, in units.
  struct Command {
    const ImDrawList* list;
    const ImDrawCmd* command;
    Rectangle clip;
    bool is_callback() const;
  };
  // A part as it was drawn, from below.
  struct KeptPart {
    struct Step {
      std::optional<Command> callback{};  // nullopt: the layer
      PixelLayer layer{};
    };
    Rectangle units{};
    bool of_frame_before = false;
    int drawn = 0;              // so often
    std::vector<Step> steps{};  // empty: they are not kept
  };
  bool keep(const ImDrawData& data, KeptPart& part);
  static bool takes_callbacks(const ImDrawData& data, KeptPart& part);
  void take_units(const ImDrawData& data);
  static std::vector<Command> commands_in(const ImDrawData& data, const Rectangle& units);
  static std::vector<Command> commands_seen_in(const ImDrawData& data, const Rectangle& units);
  void draw_command(const Command& one, const ImDrawData& data);

  SDL_Renderer& renderer_;
  const bool on_processor_;
  TextureHandle fonts_;
  LayerCanvas canvas_;
  std::vector<KeptPart> kept_;  // of this frame and the one before; as many as there are tiles
};

}  // namespace qvid::ui
