// The picture on its way to the screen: a streaming texture, made anew when the size or the kind of colours
// changes. Planar 4:2:0 where a graphics card draws it, pixels of the screen's where the processor does.
//
// Colours on a graphics card. SDL 2 turns YCbCr into RGB by one of three formulas: BT.601 full range ("JPEG"), BT.601
// limited, BT.709 limited. The choice is a global of SDL, and its renderers read it at different
// times, at the making or the drawing of the texture. It is therefore set before both. Full range BT.709 has no formula of its
// own: those pictures are squeezed into the limited range by a table of 256 entries per plane
// first, which costs up to half a step of luma and chroma. A small picture that was drawn far larger the time before is
// doubled by a bicubic filter (media/picture/frame_scaler.h): cards have a bilinear one.
//
// On the processor a picture is made pixels, scaled to the size that it was drawn at last, and copied as it
// is: SDL's own planes are copied twice more, and stretched after they were converted.
//
// Thread: the renderer's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "media/picture/frame_scaler.h"
#include "media/picture/screen_pixels.h"
#include "media/picture/video_frame.h"
#include "ui/window/aspect.h"
#include "ui/window/sdl_handles.h"

namespace qvid::ui {

class VideoTexture {
 public:
  explicit VideoTexture(SDL_Renderer& renderer);

  // Keeps or copies the picture.
  Result<std::monostate> upload(const media::VideoFrame& frame);
  // Draws the picture uploaded last over all of `where`, in units of the renderer; nothing where there
  // is none. As in a mirror: how people know themselves.
  void draw(const Rectangle& where, bool mirrored = false);
  // Where it is kept to be scaled again, no longer; what is drawn stays as it was scaled last.
  void forget_frame() { pixels_.clear(); }
  // The device has lost its textures: the next upload makes a new one.
  void reset();
  bool empty() const { return texture_ == nullptr; }

 private:
  struct Colors {
    media::ColorRange range = media::ColorRange::kLimited;
    media::ColorMatrix matrix = media::ColorMatrix::kBt601;
    bool operator==(const Colors&) const = default;
  };
  Result<std::monostate> load_pixels();
  Result<std::monostate> load_planes(const media::VideoFrame& frame);
  bool create(std::uint32_t format);
  void choose_conversion() const;
  std::array<media::Plane, 3> squeeze(const media::VideoFrame& frame);

  SDL_Renderer& renderer_;
  const bool on_processor_;  // SDL's software renderer
  TextureHandle texture_;
  media::PictureSize size_;     // of the texture
  media::PictureSize shown_;    // pixels, that it was drawn at last
  media::FrameScaler scaler_;   // for a graphics card
  media::ScreenPixels pixels_;  // on the processor: the picture before scaling
  Colors colors_;
  std::array<std::vector<std::uint8_t>, 3> squeezed_;  // kept, so that a frame allocates nothing
};

}  // namespace qvid::ui
