// I420 as a screen takes it, by the processor: 32 bits a pixel, in memory blue, green, red and one that
// means nothing. Of any range and matrix. Thread: one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/result.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

class ScreenPixels {
 public:
  // Pixels that a row is to have room for: swscale reads and writes 16 together.
  static constexpr int row_of(int width) { return (width + 15) / 16 * 16; }

  // `pixels`: as many rows as the frame has, each of `stride` bytes. An Error where swscale refuses.
  Result<std::monostate> convert(const VideoFrame& frame, std::uint8_t* pixels, int stride);

 private:
  Plane with_room(const Plane& plane, int width, int height, std::size_t number);

  PictureSize size_;
  ColorRange range_{};
  ColorMatrix matrix_{};
  SwsPtr converter_;                                // for those
  std::array<std::vector<std::uint8_t>, 3> roomy_;  // planes whose own rows have no room
};

}  // namespace qvid::media
