#include "ui/window/pixel_layer.h"

#include <SDL.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>

namespace qvid::ui {
namespace {

constexpr int kShiftOfAlpha = 24;  // of SDL_PIXELFORMAT_ARGB8888
constexpr int kEmptyBetween = 8;   // columns that are worth another piece

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

// Where something is in a row.
std::vector<Run> runs_of(std::span<const Uint32> row) {
  std::vector<Run> runs;
  for (int x = 0; x < static_cast<int>(row.size()); ++x) {
    if (alpha_of(row[static_cast<std::size_t>(x)]) == 0) continue;
    if (runs.empty() || x - runs.back().end >= kEmptyBetween) runs.push_back({x, x});
    runs.back().end = x + 1;
  }
  return runs;
}

// The row goes on as the pieces above it end.
bool continues(const std::vector<SDL_Rect>& open, const std::vector<Run>& runs) {
  return std::ranges::equal(open, runs, [](const SDL_Rect& piece, const Run& run) {
    return std::abs(piece.x - run.begin) < kEmptyBetween &&
           std::abs(piece.x + piece.w - run.end) < kEmptyBetween;
  });
}

// Rectangles that hold all that is not transparent. Of an outline its four sides.
std::vector<SDL_Rect> pieces_in(const std::vector<Uint32>& pixels, media::PictureSize size) {
  std::vector<SDL_Rect> pieces;
  std::vector<SDL_Rect> open;
  for (int y = 0; y < size.height; ++y) {
    const auto width = static_cast<std::size_t>(size.width);
    const auto runs =
        runs_of(std::span(pixels).subspan(static_cast<std::size_t>(y) * width, width));
    if (!continues(open, runs)) {
      pieces.insert(pieces.end(), open.begin(), open.end());
      open.clear();
      for (const Run& run : runs) open.push_back({run.begin, y, run.end - run.begin, 1});
      continue;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const int end = std::max(open[i].x + open[i].w, runs[i].end);
      open[i].x = std::min(open[i].x, runs[i].begin);
      open[i].w = end - open[i].x;
      open[i].h = y + 1 - open[i].y;
    }
  }
  pieces.insert(pieces.end(), open.begin(), open.end());
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
  SDL_RenderSetViewport(&renderer_, nullptr);  // SDL 2 does that itself, SDL 3 does not
  SDL_RenderSetScale(&renderer_, 1, 1);
  SDL_RenderSetClipRect(&renderer_, nullptr);
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
