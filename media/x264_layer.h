// One H.264 stream by x264 whose frames can be dropped by temporal class.
//
// Hierarchical P frames in a pattern of four, counted from the last IDR:
//
//     position   0   1   2   3   4   5 ...
//     class      T0  T2  T1  T2  T0  T2
//     refers to  -   0   0   0,2 0   4
//
// Stock x264 has no such pattern, but it has x264_encoder_invalidate_reference, which makes it
// forget every frame from a given one on. Called before each frame with the successor of the last
// frame that this one may use, it leaves exactly the references above. The quantiser rises with the
// class, as few or no frames inherit what it loses.
//
// Invariant: a frame refers to nothing outside `depends_on`; nothing after `needed_for` frames
// refers to it.
// Thread: one at a time. x264's own threads (slices) live only inside `encode`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/payload.h"
#include "base/result.h"
#include "base/units.h"
#include "media/coded_frame.h"
#include "media/video_frame.h"

namespace qvid::media {

struct X264LayerOptions {
  PictureSize size;  // even
  FrameRate rate;
  DataRate bitrate;
  int gop = 60;     // longest group of pictures, in frames
  int threads = 1;  // slices coded in parallel
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
};

struct LayerPicture {
  Payload data;  // annex B; parameter sets before each IDR
  TemporalClass temporal_class = TemporalClass::kT0;
  std::vector<std::uint8_t> frames_back;  // those it refers to; none: IDR
  std::int32_t needed_for = 0;

  bool is_sync_point() const { return frames_back.empty(); }
};

class X264Layer {
 public:
  static Result<std::unique_ptr<X264Layer>> open(const X264LayerOptions& options);
  virtual ~X264Layer() = default;

  // The next frame, of the options' size. An IDR where `sync` is set, where the group of pictures
  // is over, or where x264 sees a cut; `gop` is how long the group shall be if this frame starts
  // one. After an error the layer is of no more use.
  virtual Result<LayerPicture> encode(const VideoFrame& frame, bool sync, int gop) = 0;
  // From the next frame on.
  virtual void set_bitrate(DataRate bitrate) = 0;
};

}  // namespace qvid::media
