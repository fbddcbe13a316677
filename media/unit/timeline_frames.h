// The live timeline in frame times, as both ends count it (media/live/live_timeline.h has the
// drawing): setup, transmit window, decode.
#pragma once

namespace qvid::media {

inline constexpr int kSetupFrames = 1;
inline constexpr int kMinWindow = 1;  // transmit window
inline constexpr int kMaxWindow = 300;
inline constexpr int kDecodeFrames = 2;

}  // namespace qvid::media
