// The picture of the test source: a clock, bouncing balls and moving texture. The time and the
// frame number are drawn to be read off a screen or a recording, so that delay and loss can be
// seen.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

// Draws all of `picture` and sets its range and matrix. Pure: the same arguments give the same
// pixels. Preconditions: the size is even and supported; frame_index and elapsed are not negative.
void draw_test_scene(NewFrame& picture, std::int64_t frame_index, Duration elapsed);

}  // namespace qvid::media
