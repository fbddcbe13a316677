// Where a picture goes in a window: as large as fits, in the middle, at its own aspect.
#pragma once

#include <algorithm>
#include <cstdint>

#include "media/picture/video_frame.h"

namespace qvid::ui {

// In pixels of the window, from its top left corner.
struct Rectangle {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool empty() const { return width <= 0 || height <= 0; }
  bool has(int at_x, int at_y) const {
    return at_x >= x && at_x < x + width && at_y >= y && at_y < y + height;
  }
  bool touches(const Rectangle& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
  bool operator==(const Rectangle&) const = default;
};

// The largest rectangle of the aspect of `nominal` in `window`, centred; what is left over are bars
// on two sides. Empty where either has no area; otherwise at least one pixel either way.
constexpr Rectangle fit(media::PictureSize nominal, media::PictureSize window) {
  if (nominal.width <= 0 || nominal.height <= 0) return {};
  if (window.width <= 0 || window.height <= 0) return {};
  // value * to / from, rounded to the nearest; 64 bits hold the product of any two sizes.
  const auto scaled = [](int value, int to, int from) {
    const std::int64_t product = std::int64_t{value} * to;
    return static_cast<int>((product + from / 2) / from);
  };
  Rectangle r{0, 0, window.width, window.height};
  const std::int64_t picture_is_wider =
      std::int64_t{nominal.width} * window.height - std::int64_t{window.width} * nominal.height;
  if (picture_is_wider > 0) {
    r.height = std::max(1, scaled(window.width, nominal.height, nominal.width));
  } else if (picture_is_wider < 0) {
    r.width = std::max(1, scaled(window.height, nominal.width, nominal.height));
  }
  r.x = (window.width - r.width) / 2;
  r.y = (window.height - r.height) / 2;
  return r;
}

}  // namespace qvid::ui
