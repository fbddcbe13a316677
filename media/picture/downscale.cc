#include "media/picture/downscale.h"

#include <libyuv.h>

#include <algorithm>
#include <cstddef>

namespace qvid::media {
namespace {

// libyuv's: the rounded mean of four, of as many pixels as have all four. The last column and row are
// repeated for the others.
void halve_plane(const Plane& source, PictureSize from, std::uint8_t* out, int out_stride,
                 PictureSize to) {
  const PictureSize whole{std::min(from.width / 2, to.width), std::min(from.height / 2, to.height)};
  if (whole.width > 0 && whole.height > 0) {
    libyuv::ScalePlane(source.data, source.stride, 2 * whole.width, 2 * whole.height, out,
                       out_stride, whole.width, whole.height, libyuv::kFilterBox);
  }
  const auto at = [&](int x, int y) -> int {
    return source.data[static_cast<std::ptrdiff_t>(std::min(y, from.height - 1)) * source.stride +
                       std::min(x, from.width - 1)];
  };
  for (int y = 0; y < to.height; ++y) {
    std::uint8_t* const row = out + static_cast<std::ptrdiff_t>(y) * out_stride;
    for (int x = y < whole.height ? whole.width : 0; x < to.width; ++x) {
      const int four =
          at(2 * x, 2 * y) + at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1) + at(2 * x + 1, 2 * y + 1);
      row[x] = static_cast<std::uint8_t>((four + 2) >> 2);
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
