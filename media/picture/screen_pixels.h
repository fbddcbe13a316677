// A picture as a screen takes it, by the processor: 32 bits a pixel, in memory blue, green, red and one
// that means nothing. Of any range and matrix, drawn at any size.
//
// swscale makes pixels of it, libyuv scales those, which takes less than half of what scaling I420 by
// swscale does. libyuv's own pixels of BT.709 are up to 12 off in blue. Its bilinear filter looks at four
// pixels, so what is drawn smaller than half is halved before, each pixel the mean of four. Thread: one.
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
  // Copies the picture. An Error where swscale refuses.
  Result<std::monostate> take(const VideoFrame& frame);
  bool empty() const { return whole_.bytes.empty(); }
  // Its memory is given back.
  void clear();
  // Of what was taken.
  PictureSize size() const { return size_; }
  // `pixels`: as many rows as `to` has, each of `stride` bytes. An Error where libyuv refuses.
  Result<std::monostate> draw(PictureSize to, std::uint8_t* pixels, int stride);

 private:
  struct Pixels {
    std::vector<std::uint8_t> bytes{};
    int stride = 0;  // bytes
    PictureSize size{};
  };
  Plane with_room(const Plane& plane, int width, int height, std::size_t number);

  PictureSize size_;
  ColorRange range_{};
  ColorMatrix matrix_{};
  SwsPtr converter_;                                // for those
  std::array<std::vector<std::uint8_t>, 3> roomy_;  // planes whose own rows have no room
  Pixels whole_;
  std::array<Pixels, 2> halves_;  // the last two of whole_, its half, half of that and so on
};

}  // namespace qvid::media
