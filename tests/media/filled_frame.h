// Pictures by a formula.
#pragma once

#include <cstddef>
#include <cstdint>

#include "media/picture/video_frame.h"

namespace qvid::media {

// `value(plane, x, y, width, height)`: 0..255, of each sample; the sizes are the plane's.
template <class F>
VideoFrame filled_frame(PictureSize size, F value) {
  NewFrame made = allocate_frame(size);
  for (std::size_t p = 0; p < 3; ++p) {
    const int width = p == 0 ? size.width : made.frame.chroma_width();
    const int height = p == 0 ? size.height : made.frame.chroma_height();
    for (int y = 0; y < height; ++y) {
      std::uint8_t* const row = made.writable[p] + y * made.frame.planes[p].stride;
      for (int x = 0; x < width; ++x) {
        row[x] = static_cast<std::uint8_t>(value(p, x, y, width, height));
      }
    }
  }
  return made.frame;
}

}  // namespace qvid::media
