// A picture of one grey, for tests.
#pragma once

#include <cstring>

#include "media/picture/video_frame.h"

namespace qvid::media {

inline VideoFrame grey_frame(PictureSize size, int luma) {
  NewFrame made = allocate_frame(size);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto rows = static_cast<std::size_t>(i == 0 ? size.height : made.frame.chroma_height());
    const auto stride = static_cast<std::size_t>(made.frame.planes[i].stride);
    std::memset(made.writable[i], i == 0 ? luma : 128, rows * stride);
  }
  return made.frame;
}

}  // namespace qvid::media
