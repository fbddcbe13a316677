// How a rectangle is shown where a test fails.
#pragma once

#include <ostream>

#include "ui/window/aspect.h"

namespace qvid::ui {

inline void PrintTo(const Rectangle& r, std::ostream* out) {
  *out << r.width << 'x' << r.height << " at " << r.x << ',' << r.y;
}

}  // namespace qvid::ui
