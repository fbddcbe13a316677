// The picture that the clock shows: the strip with its number, and below it the product's moving
// test scene, 640x360, as something to code. A function of the number, so that whoever sees the
// picture elsewhere can draw it again and compare.
//
// Thread: one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lab/glass/pixels.h"

namespace qvid::lab {

class ClockPicture {
 public:
  ClockPicture();

  // Draws it; holds until the next call.
  Pixels draw(std::int64_t number);

 private:
  std::vector<std::uint32_t> pixels_;
};

}  // namespace qvid::lab
