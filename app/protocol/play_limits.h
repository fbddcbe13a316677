// Bounds of what player and server say to each other.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/units.h"

namespace qvid::app {

inline constexpr std::size_t kMaxControlMessage = 16 * 1024;  // bytes

// Longest place in a stored video: a year.
inline constexpr Duration kMaxPlace = std::chrono::hours(24 * 366);
inline constexpr Duration kMaxSoundWindow = std::chrono::seconds(10);
inline constexpr int kAllLayers = 8;  // and more than any codec makes
// Of codecs: as many as one says that it decodes, and bytes of a name.
inline constexpr std::size_t kMaxCodecs = 16;
inline constexpr std::size_t kMaxCodecName = 16;
inline constexpr std::size_t kMaxListed = 100;  // files in one message

}  // namespace qvid::app
