// Which data go first: motion before detail.
//
// Base layers of all frames come before any enhancement; within a layer, what more later frames
// depend on comes first. So a narrow link loses detail, then the frames nobody refers to, and the
// least useful base units last. Source: 000 section 5.1, "Adaptation".
//
//   importance   what
//   255          control messages
//   250          frame headers
//   240 - 24·layer - 4·rank     units; rank 0: more than one later frame may need it (T0),
//                               1: one may (T1), 2: none (T2, and the end of a group of pictures)
#pragma once

#include <algorithm>
#include <cstdint>

#include "media/coded_frame.h"

namespace qvid::media {

inline constexpr std::uint8_t kControlImportance = 255;
inline constexpr std::uint8_t kHeaderImportance = 250;

constexpr std::uint8_t unit_importance(std::uint8_t layer, std::int32_t needed_for) {
  const int rank = needed_for > 1 ? 0 : needed_for == 1 ? 1 : 2;
  return static_cast<std::uint8_t>(240 - 24 * std::min<int>(layer, 7) - 4 * rank);
}

}  // namespace qvid::media
