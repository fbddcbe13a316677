#include "media/picture/downscale.h"

#include <algorithm>
#include <cstddef>

namespace qvid::media {
namespace {

std::uint8_t mean(int a, int b, int c, int d) {
  return static_cast<std::uint8_t>((a + b + c + d + 2) >> 2);
}

// `top` and `bottom` hold at least 2 * count samples.
void halve_row(const std::uint8_t* __restrict top, const std::uint8_t* __restrict bottom,
               std::uint8_t* __restrict out, int count) {
  // A block of fixed length is what compilers vectorise at -O2.
  constexpr int kBlock = 16;
  int x = 0;
  for (; x + kBlock <= count; x += kBlock) {
    for (int i = 0; i < kBlock; ++i) {
      const std::ptrdiff_t s = 2 * static_cast<std::ptrdiff_t>(x + i);
      out[x + i] = mean(top[s], top[s + 1], bottom[s], bottom[s + 1]);
    }
  }
  for (; x < count; ++x) {
    const std::ptrdiff_t s = 2 * static_cast<std::ptrdiff_t>(x);
    out[x] = mean(top[s], top[s + 1], bottom[s], bottom[s + 1]);
  }
}

void halve_plane(const Plane& source, PictureSize from, std::uint8_t* out, int out_stride,
                 PictureSize to) {
  const auto row = [&](int y) {
    return source.data + static_cast<std::ptrdiff_t>(std::min(y, from.height - 1)) * source.stride;
  };
  const int whole = std::min(from.width / 2, to.width);
  for (int y = 0; y < to.height; ++y) {
    const std::uint8_t* top = row(2 * y);
    const std::uint8_t* bottom = row(2 * y + 1);
    std::uint8_t* to_row = out + static_cast<std::ptrdiff_t>(y) * out_stride;
    halve_row(top, bottom, to_row, whole);
    const int last = from.width - 1;
    for (int x = whole; x < to.width; ++x) {
      to_row[x] = mean(top[last], top[last], bottom[last], bottom[last]);
    }
  }
}

}  // namespace

VideoFrame downscale_half(const VideoFrame& frame) {
  NewFrame half = allocate_frame(even_size(half_size(frame.size)));
  const PictureSize chroma_from{frame.chroma_width(), frame.chroma_height()};
  const PictureSize chroma_to{half.frame.chroma_width(), half.frame.chroma_height()};
  for (std::size_t p = 0; p < frame.planes.size(); ++p) {
    halve_plane(frame.planes[p], p == 0 ? frame.size : chroma_from, half.writable[p],
                half.frame.planes[p].stride, p == 0 ? half.frame.size : chroma_to);
  }
  half.frame.range = frame.range;
  half.frame.matrix = frame.matrix;
  half.frame.captured = frame.captured;
  return half.frame;
}

}  // namespace qvid::media
