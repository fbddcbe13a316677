// Finds the clock's strip (lab/glass/strip.h) anywhere on a screen, at any scale, and reads it.
// Pure; any pixels will do.
#pragma once

#include <optional>

#include "lab/glass/pixels.h"

namespace qvid::lab {

// Pixels of the screen, or of that part of it that was taken.
struct StripPlace {
  int x = 0;
  int y = 0;
  int width = 0;  // with the bars: kClockWidth where the picture is as large as the clock's
  int height = 0;
  bool operator==(const StripPlace&) const = default;

  // Of the same strip, in a part of the screen that begins at (left, top).
  StripPlace within(int left, int top) const { return {x - left, y - top, width, height}; }
};

// Where rows begin and end with magenta bars of the right proportions; nothing: nowhere.
std::optional<StripPlace> find_strip(const Pixels& screen);

// The low bits of the number; nothing: not to be told, or its check fails.
std::optional<int> read_strip(const Pixels& pixels, const StripPlace& place);

}  // namespace qvid::lab
