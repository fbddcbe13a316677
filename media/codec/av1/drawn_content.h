// Whether a picture was drawn by a machine (text, windows) rather than taken by a camera: where
// there is contrast, it is between few colours.
//
// Model: of every second block of 16x16 in both directions, those whose luma spans kContrast at
// least; in a drawn picture four values make up three quarters of the pixels of a third of these. Such
// blocks were 96% of a screen's, 40% of one scaled to half, 5% of a webcam's, 0 of a hand-held
// camera's. (libaom counts blocks of few values, which a smooth wall has too: 28% of a webcam's.)
#pragma once

#include "media/picture/video_frame.h"

namespace qvid::media {

bool is_drawn(const VideoFrame& frame);

}  // namespace qvid::media
