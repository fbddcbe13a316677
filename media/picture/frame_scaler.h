// Makes pictures smaller before they are encoded, and larger before they are shown. Colours stay as they
// are: range and matrix are kept and signalled on.
//
// An even half is the mean of four pixels (media/picture/downscale.h). Everything else is swscale's: to a
// larger size its bicubic filter, to a smaller one its bilinear, which averages over all the pixels that
// become one. What was halved and coded comes back .7 dB (a webcam), .3 (a page) and .05 (fine texture)
// nearer to what it was by the bicubic than by the bilinear filter. Thread: one.
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

  // What is to be stretched to `shown` by a bilinear filter, which blurs: doubled where that is far larger, and
  // the picture small, as half a size is that a narrow link leaves. Else, and where swscale refuses, as it is.
  VideoFrame enlarged_for(const VideoFrame& frame, PictureSize shown);

 private:
  PictureSize from_;
  PictureSize to_;
  SwsPtr scaler_;  // from from_ to to_
};

}  // namespace qvid::media
