#include "ui/window/pixel_layer.h"

#include <SDL.h>

#include <algorithm>
#include <cstddef>

namespace qvid::ui {
namespace {

constexpr int kShiftOfAlpha = 24;  // of SDL_PIXELFORMAT_ARGB8888
constexpr int kEmptyBetween = 8;   // rows or columns that are worth another piece

Uint32 alpha_of(Uint32 pixel) { return pixel >> kShiftOfAlpha; }

// Colours that were blended over nothing are dark by their alpha: as SDL blends them they are to be whole.
Uint32 whole_color(Uint32 pixel) {
  const Uint32 alpha = alpha_of(pixel);
  if (alpha == 0 || alpha == SDL_ALPHA_OPAQUE) return pixel;
  Uint32 whole = alpha << kShiftOfAlpha;
  for (const int shift : {0, 8, 16}) {
    const Uint32 channel = pixel >> shift & 255U;
    whole |= std::min<Uint32>((channel * 255 + alpha / 2) / alpha, 255) << shift;
  }
  return whole;
}

struct Run {
  int begin;
  int end;
};

// Where something is, of so many rows or columns.
template <class IsThere>
std::vector<Run> runs_of(int count, IsThere is_there) {
  std::vector<Run> runs;
  for (int i = 0; i < count; ++i) {
    if (!is_there(i)) continue;
    if (runs.empty() || i - runs.back().end >= kEmptyBetween) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

// Rectangles that hold all that is not transparent, none over another.
std::vector<SDL_Rect> pieces_in(const std::vector<Uint32>& pixels, media::PictureSize size) {
  const auto is_there = [&](int x, int y) {
    return alpha_of(pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                           static_cast<std::size_t>(x)]) != 0;
  };
  std::vector<SDL_Rect> pieces;
  const auto rows = runs_of(size.height, [&](int y) {
    for (int x = 0; x < size.width; ++x) {
      if (is_there(x, y)) return true;
    }
    return false;
  });
  for (const Run& row : rows) {
    const auto columns = runs_of(size.width, [&](int x) {
      for (int y = row.begin; y < row.end; ++y) {
        if (is_there(x, y)) return true;
      }
      return false;
    });
    for (const Run& column : columns) {
      pieces.push_back({column.begin, row.begin, column.end - column.begin, row.end - row.begin});
    }
  }
  return pieces;
}

}  // namespace

void PixelLayer::draw(SDL_Renderer& renderer) const {
  for (const Piece& piece : pieces_) {
    SDL_RenderCopy(&renderer, piece.texture.get(), nullptr, &piece.where);
  }
}

bool LayerCanvas::prepare() {
  media::PictureSize output;
  if (SDL_GetRendererOutputSize(&renderer_, &output.width, &output.height) != 0) return false;
  if (target_ && output == size_) return true;
  size_ = output;
  target_.reset(SDL_CreateTexture(&renderer_, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_TARGET,
                                  size_.width, size_.height));
  return target_ != nullptr;
}

std::optional<PixelLayer> LayerCanvas::keep(const SDL_Rect& area,
                                            const std::function<void()>& draw) {
  if (!prepare() || SDL_SetRenderTarget(&renderer_, target_.get()) != 0) return std::nullopt;
  SDL_SetRenderDrawBlendMode(&renderer_, SDL_BLENDMODE_NONE);
  SDL_SetRenderDrawColor(&renderer_, 0, 0, 0, SDL_ALPHA_TRANSPARENT);
  SDL_RenderFillRect(&renderer_, &area);
  draw();
  std::vector<Uint32> pixels(static_cast<std::size_t>(area.w) * static_cast<std::size_t>(area.h));
  const bool read = SDL_RenderReadPixels(&renderer_, &area, SDL_PIXELFORMAT_ARGB8888, pixels.data(),
                                         area.w * static_cast<int>(sizeof pixels[0])) == 0;
  SDL_SetRenderTarget(&renderer_, nullptr);
  if (!read) return std::nullopt;
  std::ranges::transform(pixels, pixels.begin(), whole_color);
  PixelLayer layer;
  for (const SDL_Rect& where : pieces_in(pixels, {area.w, area.h})) {
    auto piece = piece_of(pixels, area, where);
    if (!piece) return std::nullopt;
    layer.pieces_.push_back(*std::move(piece));
  }
  return layer;
}

// `where` is within the area.
std::optional<PixelLayer::Piece> LayerCanvas::piece_of(const std::vector<Uint32>& pixels,
                                                       const SDL_Rect& area,
                                                       const SDL_Rect& where) const {
  PixelLayer::Piece piece{
      TextureHandle(SDL_CreateTexture(&renderer_, SDL_PIXELFORMAT_ARGB8888,
                                      SDL_TEXTUREACCESS_STATIC, where.w, where.h)),
      {area.x + where.x, area.y + where.y, where.w, where.h}};
  const std::size_t first = static_cast<std::size_t>(where.y) * static_cast<std::size_t>(area.w) +
                            static_cast<std::size_t>(where.x);
  if (!piece.texture || SDL_UpdateTexture(piece.texture.get(), nullptr, &pixels[first],
                                          area.w * static_cast<int>(sizeof pixels[0])) != 0) {
    return std::nullopt;
  }
  SDL_SetTextureBlendMode(piece.texture.get(), SDL_BLENDMODE_BLEND);
  return piece;
}

}  // namespace qvid::ui
