// Peak signal-to-noise ratio of luma, for tests and benchmarks of codecs.
#pragma once

#include <algorithm>
#include <cmath>

#include "media/picture/video_frame.h"

namespace qvid::media {

// In dB, over the size of `b`.
inline double psnr(const VideoFrame& a, const VideoFrame& b) {
  double squares = 0;
  for (int y = 0; y < b.size.height; ++y) {
    for (int x = 0; x < b.size.width; ++x) {
      const int d = a.planes[0].data[y * a.planes[0].stride + x] -
                    b.planes[0].data[y * b.planes[0].stride + x];
      squares += d * d;
    }
  }
  return 10 * std::log10(255.0 * 255.0 * b.size.width * b.size.height / std::max(squares, 1.0));
}

}  // namespace qvid::media
