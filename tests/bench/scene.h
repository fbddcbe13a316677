// The pictures that codecs are measured with where no clip is given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "media/picture/video_frame.h"
#include "tests/media/drawn_text.h"

namespace qvid::media {

using Video = std::vector<VideoFrame>;

// Texture that pans behind a disc of other texture, with a little sensor noise.
inline Video draw_scene(PictureSize size, int frames) {
  Video video;
  std::uint32_t seed = 1;
  for (int t = 0; t < frames; ++t) {
    NewFrame made = allocate_frame(size);
    for (std::size_t p = 0; p < 3; ++p) {
      const int scale = p == 0 ? 1 : 2;
      const double cx = size.width * (0.5 + 0.2 * std::sin(t * 0.05));
      const double cy = size.height * (0.55 + 0.03 * std::sin(t * 0.13));
      for (int y = 0; y < size.height / scale; ++y) {
        for (int x = 0; x < size.width / scale; ++x) {
          const bool disc = std::hypot(x * scale - cx, y * scale - cy) < size.height * 0.3;
          const int u = x * scale + (disc ? static_cast<int>(-cx) : t / 2) + 10000;
          const int v = y * scale + (disc ? static_cast<int>(-cy) : 0) + 10000;
          std::uint32_t h = static_cast<std::uint32_t>(u / 3) * 0x9E3779B1u ^
                            static_cast<std::uint32_t>(v / 3) * 0x85EBCA77u;
          h = (h ^ h >> 15) * 0x2C1B3C6Du;
          seed = seed * 1664525u + 1013904223u;
          const int detail = static_cast<int>(h >> 27) - 16;
          const int noise = static_cast<int>(seed >> 30) - 1;
          const double wave = 70 * std::sin(u * 0.021) * std::cos(v * 0.017);
          const int value =
              p == 0 ? 126 + static_cast<int>(wave) + detail + noise : 128 + (disc ? 20 : -10);
          made.writable[p][y * made.frame.planes[p].stride + x] =
              static_cast<std::uint8_t>(std::clamp(value, 16, 235));
        }
      }
    }
    video.push_back(made.frame);
  }
  return video;
}

// A page of text that is read, and scrolled by four lines of pixels a frame for a second in three.
inline Video draw_page(PictureSize size, int frames) {
  Video video;
  int scrolled = 0;
  for (int t = 0; t < frames; ++t) {
    if (t / 30 % 3 == 1) scrolled += 4;
    video.push_back(draw_text(size, scrolled));
  }
  return video;
}

}  // namespace qvid::media
