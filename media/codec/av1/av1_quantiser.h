// AV1's quantisers in those of H.264, by the width of their steps.
//
//   H.264   step = 0.625 * 2^(quantiser / 6)
//   AV1     step = Ac_Qlookup[index] / 8   (AV1, 7.12.2; of 8 bits a sample, index 0 to 255)
//
// Pure. Thread: any.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace qvid::media {

// Between the entries given here the table grows by much the same factor a step: within 0.4 of it.
inline double as_quantiser_of_h264(int index) {
  constexpr int kApart = 16;
  constexpr std::array<double, 17> kSteps = {4,   23,  39,  55,  71,  87,   104,  136, 176,
                                             231, 305, 408, 550, 743, 1007, 1369, 1828};
  const double at = std::clamp(index, 0, 255) / double{kApart};
  const auto below = static_cast<std::size_t>(at);
  // The last is that of 255.
  const double width = below + 2 < kSteps.size() ? 1 : (255 - 240) / double{kApart};
  const double part = (at - static_cast<double>(below)) / width;
  const double step = kSteps[below] * std::pow(kSteps[below + 1] / kSteps[below], part) / 8;
  return std::max(0.0, 6 * std::log2(step / 0.625));
}

}  // namespace qvid::media
