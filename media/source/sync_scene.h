// The clip by which the distance of sound and picture is measured, `test:sync`: at each second
// of its timeline the dark picture becomes white for 100 ms, and a beep begins at the same instant.
// The beep alone is the sound of the test scene.
//
// The flash begins with the first picture at or after the second: measure with a whole number of
// frames a second. Pure: the same arguments give the same pixels and samples.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

inline constexpr Duration kFlash = std::chrono::milliseconds(100);  // 3 frames' time at 30 a second
inline constexpr Duration kBeep = std::chrono::milliseconds(60);
inline constexpr double kBeepPitch = 1000;  // Hz

// All of `picture`. Precondition: `elapsed` is not negative.
void draw_sync_scene(NewFrame& picture, Duration elapsed);

// Stereo frames of sound from frame `first` of the timeline on: a beep of -12 dB each second, else
// silence. Precondition: `first` is not negative.
void draw_beeps(std::span<float> stereo, std::int64_t first);

}  // namespace qvid::media
