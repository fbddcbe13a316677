// Whether a picture was drawn by a machine (text, windows) rather than taken by a camera: many of
// its blocks have few colours, and more than one.
//
// Model: of every second block of 16x16 in both directions, those with 2 to 4 values of luma; a picture is
// drawn where they are a tenth at least. libaom counts like that on key frames, but not in real time.
#pragma once

#include "media/picture/video_frame.h"

namespace qvid::media {

bool is_drawn(const VideoFrame& frame);

}  // namespace qvid::media
