// What was drawn over nothing, kept as pixels: it can be laid over one picture after the other without being
// drawn again. For who draws on the processor, where a letter takes longer than the copy of its pixels.
//
//   LayerCanvas canvas(renderer);
//   std::optional<PixelLayer> layer = canvas.keep(area, [&] { draw_signs(); });
//   layer->draw(renderer);   // as often as wanted
//
// Kept are only the rectangles about what was drawn. Colours are as if it had been drawn there, but for one
// step of rounding for each thing that lies over another.
// Thread: the renderer's.
#pragma once

#include <SDL_rect.h>

#include <functional>
#include <optional>
#include <vector>

#include "media/picture/video_frame.h"
#include "ui/window/sdl_handles.h"

namespace qvid::ui {

class PixelLayer {
 public:
  bool empty() const { return pieces_.empty(); }
  // In pixels, at the area that it was drawn in; the renderer's scale is 1.
  void draw(SDL_Renderer& renderer) const;

 private:
  friend class LayerCanvas;
  struct Piece {
    TextureHandle texture;
    SDL_Rect where{};
  };
  std::vector<Piece> pieces_;
};

class LayerCanvas {
 public:
  explicit LayerCanvas(SDL_Renderer& renderer) : renderer_(renderer) {}

  // What `draw` draws on the renderer, in `area` of its output, in pixels. It finds the renderer without a
  // viewport, with the scale 1 and as large as its output; nothing of it is left there. Nullopt: there is no
  // memory for it.
  std::optional<PixelLayer> keep(const SDL_Rect& area, const std::function<void()>& draw);

 private:
  bool prepare();
  std::optional<PixelLayer::Piece> piece_of(const std::vector<Uint32>& pixels, const SDL_Rect& area,
                                            const SDL_Rect& where) const;

  SDL_Renderer& renderer_;
  TextureHandle target_;  // as large as the output
  media::PictureSize size_;
};

}  // namespace qvid::ui
