// Makes pictures smaller before they are encoded. Colours stay as they are: range and matrix are
// kept and signalled on.
//
// An even half is the mean of four pixels (media/picture/downscale.h); everything else is swscale's
// bilinear filter, which averages over all the pixels that become one. Thread: one.
#pragma once

#include "base/result.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

// `size` with each side times `scale` (0..1), even, the aspect kept to within the rounding; no
// smaller than makes the shorter side kMinSide. Precondition: the size is even and supported.
PictureSize scaled_size(PictureSize size, double scale);

class FrameScaler {
 public:
  // Precondition: both sizes are supported. An Error where swscale refuses them.
  Result<VideoFrame> scale(const VideoFrame& frame, PictureSize to);

 private:
  PictureSize from_;
  PictureSize to_;
  SwsPtr scaler_;  // from from_ to to_
};

}  // namespace qvid::media
