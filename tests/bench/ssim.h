// Structural similarity of luma (Wang et al., IEEE Transactions on Image Processing 13(4), 2004), over
// blocks of 8x8 every four pixels, without their Gaussian window.
#pragma once

#include <cstddef>

#include "media/picture/video_frame.h"

namespace qvid::media {

// 1: the same. Over the size of `b`.
inline double ssim(const VideoFrame& a, const VideoFrame& b) {
  constexpr int kBlock = 8;
  constexpr int kStep = 4;
  constexpr double kPixels = kBlock * kBlock;
  constexpr double kC1 = 0.01 * 255 * 0.01 * 255;
  constexpr double kC2 = 0.03 * 255 * 0.03 * 255;
  double sum = 0;
  int blocks = 0;
  for (int y = 0; y + kBlock <= b.size.height; y += kStep) {
    for (int x = 0; x + kBlock <= b.size.width; x += kStep) {
      double mean_a = 0;
      double mean_b = 0;
      double squares_a = 0;
      double squares_b = 0;
      double both = 0;
      for (int v = y; v < y + kBlock; ++v) {
        for (int u = x; u < x + kBlock; ++u) {
          const double p =
              a.planes[0].data[static_cast<std::ptrdiff_t>(v) * a.planes[0].stride + u];
          const double q =
              b.planes[0].data[static_cast<std::ptrdiff_t>(v) * b.planes[0].stride + u];
          mean_a += p / kPixels;
          mean_b += q / kPixels;
          squares_a += p * p / kPixels;
          squares_b += q * q / kPixels;
          both += p * q / kPixels;
        }
      }
      const double variances = squares_a - mean_a * mean_a + squares_b - mean_b * mean_b;
      const double covariance = both - mean_a * mean_b;
      sum += (2 * mean_a * mean_b + kC1) * (2 * covariance + kC2) /
             ((mean_a * mean_a + mean_b * mean_b + kC1) * (variances + kC2));
      ++blocks;
    }
  }
  return blocks > 0 ? sum / blocks : 1;
}

}  // namespace qvid::media
