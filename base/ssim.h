// Structural similarity of two pictures of luma (Wang et al., IEEE Transactions on Image Processing
// 13(4), 2004), over blocks of 8x8, without their Gaussian window. Pure.
#pragma once

namespace qvid {

// 1: the same. `a` and `b` give the luma, 0 to 255, at (x, y); a block every `step` pixels.
template <class A, class B>
double structural_similarity(int width, int height, int step, A a, B b) {
  constexpr int kBlock = 8;
  constexpr double kPixels = kBlock * kBlock;
  constexpr double kC1 = 0.01 * 255 * 0.01 * 255;
  constexpr double kC2 = 0.03 * 255 * 0.03 * 255;
  double sum = 0;
  int blocks = 0;
  for (int y = 0; y + kBlock <= height; y += step) {
    for (int x = 0; x + kBlock <= width; x += step) {
      double mean_a = 0;
      double mean_b = 0;
      double squares_a = 0;
      double squares_b = 0;
      double both = 0;
      for (int v = y; v < y + kBlock; ++v) {
        for (int u = x; u < x + kBlock; ++u) {
          const double p = a(u, v);
          const double q = b(u, v);
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

}  // namespace qvid
