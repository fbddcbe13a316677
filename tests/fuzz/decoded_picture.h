// What a decoder gave for any bytes: its planes hold what its size says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "media/codec/decoder.h"

namespace qvid::media {

inline void touch_corners(const Result<std::optional<DecodedFrame>>& got) {
  if (!got || !*got) return;
  const VideoFrame& picture = (*got)->picture;
  if (!is_supported((*got)->nominal)) std::abort();
  for (std::size_t p = 0; p < picture.planes.size(); ++p) {
    const int width = p == 0 ? picture.size.width : picture.chroma_width();
    const int height = p == 0 ? picture.size.height : picture.chroma_height();
    const volatile std::uint8_t* plane = picture.planes[p].data;
    (void)plane[0];
    (void)plane[static_cast<std::ptrdiff_t>(height - 1) * picture.planes[p].stride + width - 1];
  }
}

}  // namespace qvid::media
