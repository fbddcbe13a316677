// Makes pictures of any format and size into I420 of one size, with their colours kept.
//
// What keeps its format keeps its range and matrix too, and both are signalled on. RGB becomes
// limited range, BT.709 from 720 lines up and BT.601 below. A picture of another shape is scaled
// with its aspect kept, on black. An odd last row or column is left out.
// Private to media. Thread: one.
#pragma once

#include "base/result.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

// Where a picture goes in a frame: even numbers.
struct Placement {
  int x = 0;
  int y = 0;
  PictureSize size;
  bool operator==(const Placement&) const = default;
};
// The largest place in `frame` for a picture seen as `shown`, in the middle.
// Preconditions: frame is even and supported; shown is positive.
Placement fit_inside(PictureSize shown, PictureSize frame);

class I420Converter {
 public:
  // `may_share`: frames may keep the decoder's own memory, where they need no conversion. Not for
  // devices, whose memory goes when they are closed.
  I420Converter(PictureSize size, bool may_share) : size_(size), may_share_(may_share) {}

  // `captured` is left for the caller to set.
  Result<VideoFrame> convert(const AVFrame& picture);

 private:
  // What the scaler was made for. Formats are AVPixelFormat, matrices SWS_CS_*.
  struct Setup {
    PictureSize from_size;
    int from_format = -1;
    int from_matrix = 0;
    bool from_full = false;
    PictureSize to_size;
    ColorMatrix to_matrix{};
    bool to_full = false;
    bool operator==(const Setup&) const = default;
  };
  bool prepare(const Setup& setup);

  PictureSize size_;
  bool may_share_;
  Setup setup_;
  SwsPtr scaler_;
};

}  // namespace qvid::media
