// Structural similarity of the luma of two frames.
#pragma once

#include <cstddef>

#include "base/ssim.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

// 1: the same. Over the size of `b`.
inline double ssim(const VideoFrame& a, const VideoFrame& b) {
  constexpr int kStep = 4;
  const auto luma_of = [](const VideoFrame& frame) {
    const auto& plane = frame.planes[0];
    return [&plane](int x, int y) -> double {
      return plane.data[static_cast<std::ptrdiff_t>(y) * plane.stride + x];
    };
  };
  return structural_similarity(b.size.width, b.size.height, kStep, luma_of(a), luma_of(b));
}

}  // namespace qvid::media
