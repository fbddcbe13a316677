#include "ui/window/video_texture.h"

#include <SDL.h>

#include <cmath>
#include <utility>

#include "ui/window/renderer.h"

namespace qvid::ui {
namespace {

using Table = std::array<std::uint8_t, 256>;

// Full range to limited: luma 0..255 to 16..235; chroma 1..255 about 128 to 16..240.
constexpr Table make_table(int excursion, int zero_in, int zero_out) {
  Table table{};
  for (int i = 0; i < 256; ++i) {
    const int scaled = (i - zero_in) * excursion;
    table[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>((scaled + zero_out * 255 + 127) / 255);
  }
  return table;
}
constexpr Table kLumaToLimited = make_table(219, 0, 16);
constexpr Table kChromaToLimited = make_table(224, 128, 128);
static_assert(kLumaToLimited[0] == 16 && kLumaToLimited[255] == 235);
static_assert(kChromaToLimited[128] == 128 && kChromaToLimited[255] == 240);

media::Plane apply(const Table& table, const media::Plane& plane, int width, int height,
                   std::vector<std::uint8_t>& out) {
  out.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  std::uint8_t* to = out.data();
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = plane.data + static_cast<std::ptrdiff_t>(y) * plane.stride;
    for (int x = 0; x < width; ++x) *to++ = table[from[x]];
  }
  return {out.data(), width};
}

// Of what is so large in units of the renderer.
media::PictureSize in_pixels(SDL_Renderer& renderer, const Rectangle& where) {
  float x = 1;
  float y = 1;
  SDL_RenderGetScale(&renderer, &x, &y);
  return {static_cast<int>(std::lround(static_cast<float>(where.width) * x)),
          static_cast<int>(std::lround(static_cast<float>(where.height) * y))};
}

Error sdl_error(const char* what) { return {std::string(what) + ": " + SDL_GetError()}; }

}  // namespace

VideoTexture::VideoTexture(SDL_Renderer& renderer)
    : renderer_(renderer), on_processor_(draws_on_processor(renderer)) {}

Result<std::monostate> VideoTexture::upload(const media::VideoFrame& frame) {
  if (on_processor_) pixels_.take(frame);
  const Result<std::monostate> loaded =
      on_processor_ ? load_pixels() : load_planes(scaler_.enlarged_for(frame, shown_));
  if (!loaded) reset();
  return loaded;
}

bool VideoTexture::create(std::uint32_t format) {
  texture_.reset(SDL_CreateTexture(&renderer_, format, SDL_TEXTUREACCESS_STREAMING, size_.width,
                                   size_.height));
  if (texture_) SDL_SetTextureScaleMode(texture_.get(), SDL_ScaleModeLinear);
  return texture_ != nullptr;
}

// As large as it was drawn at last.
Result<std::monostate> VideoTexture::load_pixels() {
  const media::PictureSize wanted = media::is_supported(shown_) ? shown_ : pixels_.size();
  if (!texture_ || wanted != size_) {
    size_ = wanted;
    // As the window's own pixels are: they are copied as they are.
    if (!create(SDL_PIXELFORMAT_RGB888)) return sdl_error("no texture for the picture");
  }
  void* pixels = nullptr;
  int stride = 0;
  if (SDL_LockTexture(texture_.get(), nullptr, &pixels, &stride) != 0)
    return sdl_error("the picture was not taken to the screen");
  auto drawn = pixels_.draw(size_, static_cast<std::uint8_t*>(pixels), stride);
  SDL_UnlockTexture(texture_.get());
  return drawn;
}

Result<std::monostate> VideoTexture::load_planes(const media::VideoFrame& frame) {
  const Colors colors{frame.range, frame.matrix};
  if (!texture_ || frame.size != size_ || colors != colors_) {
    size_ = frame.size;
    colors_ = colors;
    choose_conversion();
    if (!create(SDL_PIXELFORMAT_IYUV)) return sdl_error("no texture for the picture");
  }
  const bool squeezes =
      colors.range == media::ColorRange::kFull && colors.matrix == media::ColorMatrix::kBt709;
  const auto [y, u, v] = squeezes ? squeeze(frame) : frame.planes;
  if (SDL_UpdateYUVTexture(texture_.get(), nullptr, y.data, y.stride, u.data, u.stride, v.data,
                           v.stride) != 0) {
    return sdl_error("the picture was not taken to the screen");
  }
  return std::monostate{};
}

void VideoTexture::draw(const Rectangle& where, bool mirrored) {
  if (!texture_ || where.empty()) return;
  // Of another size than the time before: from the picture itself again, not from what was scaled.
  const media::PictureSize before = std::exchange(shown_, in_pixels(renderer_, where));
  if (!pixels_.empty() && before != shown_ && !load_pixels()) return reset();
  choose_conversion();
  const SDL_Rect target{where.x, where.y, where.width, where.height};
  SDL_RenderCopyEx(&renderer_, texture_.get(), nullptr, &target, 0, nullptr,
                   mirrored ? SDL_FLIP_HORIZONTAL : SDL_FLIP_NONE);
}

void VideoTexture::reset() {
  texture_.reset();
  pixels_.clear();
}

void VideoTexture::choose_conversion() const {
  const bool bt709 = colors_.matrix == media::ColorMatrix::kBt709;
  const bool full = colors_.range == media::ColorRange::kFull;
  SDL_SetYUVConversionMode(bt709  ? SDL_YUV_CONVERSION_BT709
                           : full ? SDL_YUV_CONVERSION_JPEG
                                  : SDL_YUV_CONVERSION_BT601);
}

std::array<media::Plane, 3> VideoTexture::squeeze(const media::VideoFrame& frame) {
  const int width = frame.chroma_width();
  const int height = frame.chroma_height();
  return {apply(kLumaToLimited, frame.planes[0], frame.size.width, frame.size.height, squeezed_[0]),
          apply(kChromaToLimited, frame.planes[1], width, height, squeezed_[1]),
          apply(kChromaToLimited, frame.planes[2], width, height, squeezed_[2])};
}

}  // namespace qvid::ui
