// A screen of numbers for the tests of the eye: what is painted on it is what it shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/glass/eye.h"
#include "lab/glass/strip.h"

namespace qvid::lab {

class PaintedScreen final : public ScreenView {
 public:
  PaintedScreen(int width, int height)
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width * height), 0x303030) {}

  // `scale`: of the picture; `codec` turns each pixel into what comes out.
  template <class Codec>
  void paint(const Pixels& picture, int left, int top, double scale, Codec codec) {
    const int wide = static_cast<int>(picture.width * scale);
    const int high = static_cast<int>(picture.height * scale);
    for (int y = 0; y < high; ++y) {
      for (int x = 0; x < wide; ++x) {
        set(left + x, top + y,
            codec(picture.at(static_cast<int>(x / scale), static_cast<int>(y / scale))));
      }
    }
  }
  void paint(const Pixels& picture, int left, int top, double scale = 1) {
    paint(picture, left, top, scale, [](std::uint32_t pixel) { return pixel; });
  }
  void fill(int left, int top, int width, int height, std::uint32_t pixel) {
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x) set(x, y, pixel);
    }
  }
  // Each pixel becomes the mean of those around it.
  void blur(int radius) {
    const std::vector<std::uint32_t> sharp = pixels_;
    const Pixels view{.data = sharp.data(), .width = width_, .height = height_};
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) set(x, y, mean(view, x, y, radius));
    }
  }
  Pixels all() const { return {.data = pixels_.data(), .width = width_, .height = height_}; }

  int width() const override { return width_; }
  int height() const override { return height_; }
  Shot take(int x, int y, int width, int height) override {
    ++shots;
    shot_.clear();
    for (int row = y; row < y + height; ++row) {
      for (int column = x; column < x + width; ++column) shot_.push_back(all().at(column, row));
    }
    return {.pixels = {.data = shot_.data(), .width = width, .height = height}, .at = now};
  }

  Timestamp now{};
  int shots = 0;

 private:
  static std::uint32_t mean(const Pixels& view, int x, int y, int radius) {
    std::uint32_t sums[3] = {};
    for (int dy = -radius; dy <= radius; ++dy) {
      for (int dx = -radius; dx <= radius; ++dx) {
        const std::uint32_t pixel = view.at(x + dx, y + dy);
        for (int c = 0; c < 3; ++c) sums[c] += pixel >> (8 * c) & 255;
      }
    }
    const auto count = static_cast<std::uint32_t>((2 * radius + 1) * (2 * radius + 1));
    return sums[2] / count << 16 | sums[1] / count << 8 | sums[0] / count;
  }
  void set(int x, int y, std::uint32_t pixel) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
    pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x)] = pixel;
  }

  int width_;
  int height_;
  std::vector<std::uint32_t> pixels_;
  std::vector<std::uint32_t> shot_;
};

}  // namespace qvid::lab
