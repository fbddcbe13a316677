// Pixels of a screen as the X server gives them: 32 bits each, 0x00RRGGBB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace qvid::lab {

// A view; whoever gives it says how long it holds.
struct Pixels {
  const std::uint32_t* data = nullptr;
  int width = 0;  // rows follow each other without a gap
  int height = 0;

  // The nearest pixel there is. Precondition: not empty.
  std::uint32_t at(int x, int y) const {
    x = std::clamp(x, 0, width - 1);
    y = std::clamp(y, 0, height - 1);
    return data[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                static_cast<std::size_t>(x)];
  }
};

constexpr int red_of(std::uint32_t pixel) { return static_cast<int>(pixel >> 16 & 255); }
constexpr int green_of(std::uint32_t pixel) { return static_cast<int>(pixel >> 8 & 255); }
constexpr int blue_of(std::uint32_t pixel) { return static_cast<int>(pixel & 255); }

// ITU-R BT.601's luma, 0..255.
constexpr int luma(std::uint32_t pixel) {
  return (red_of(pixel) * 77 + green_of(pixel) * 150 + blue_of(pixel) * 29 + 128) >> 8;
}

}  // namespace qvid::lab
