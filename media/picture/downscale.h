// A picture at half its width and height, for the low layer of a codec.
//
// Filter: the rounded mean of each 2x2 block, (a + b + c + d + 2) >> 2, in every plane. It is exact
// integer arithmetic, has no ringing and costs less than a tenth of the encoding of its result; a
// longer filter would be a little sharper. Phase: the sample (x, y) lies at the centre of the
// source's samples (2x, 2y)..(2x + 1, 2y + 1), so the two pictures cover the same area.
// Edges: the source goes on by repeating its last column and row.
//
// Thread: any; no state.
#pragma once

#include "media/picture/video_frame.h"

namespace qvid::media {

// Of the picture proper: rounded up where the source is odd.
constexpr PictureSize half_size(PictureSize s) { return {(s.width + 1) / 2, (s.height + 1) / 2}; }

// 4:2:0 encoders want even sizes.
constexpr PictureSize even_size(PictureSize s) {
  return {(s.width + 1) / 2 * 2, (s.height + 1) / 2 * 2};
}

// The frame at half size, of size even_size(half_size(frame.size)): what is beyond half_size is
// padding, to be cropped on output.
VideoFrame downscale_half(const VideoFrame& frame);

}  // namespace qvid::media
