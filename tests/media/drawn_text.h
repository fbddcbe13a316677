// A page of text, for tests and benchmarks of what screens show.
#pragma once

#include "tests/media/filled_frame.h"

namespace qvid::media {

// Lines of letters on a white page, which is scrolled.
inline VideoFrame draw_text(PictureSize size, int time) {
  return filled_frame(size, [time](std::size_t p, int x, int y, int, int) {
    const unsigned line = static_cast<unsigned>(y + time) / 10;
    const unsigned letter = static_cast<unsigned>(x) / 6;
    const unsigned shape = (line * 31 + letter) * 2654435761u;
    const unsigned dot =
        static_cast<unsigned>(y + time) % 10 / 2 * 3 + static_cast<unsigned>(x) % 6 / 2;
    const bool ink = (y + time) % 10 < 8 && (shape >> (dot + 8) & 1) != 0;
    return p != 0 ? 128 : ink ? 20 : 235;
  });
}

}  // namespace qvid::media
