// One H.264 stream by x264 whose frames can be dropped by temporal class, and go on without a key
// frame where some were lost: references as media/codec/reference_plan.h has them.
//
// Stock x264 refers to whatever is nearest, but it has x264_encoder_invalidate_reference, which
// makes it forget every frame from a given one on, and a limit on the references of a frame that
// can be lowered at any time. Forgetting what lies after the newest frame that this one may use
// leaves that one the nearest; with the limit at the number planned, the references are exactly the
// planned ones. What a frame forgets no later frame wants: it is of a class below, or not sound.
// The quantiser rises with the class, as few or no frames inherit what it loses.
//
// Invariant: a frame refers to `frames_back` and nothing else; nothing after `needed_for` frames
// refers to it.
// Memory: x264 keeps ReferencePlan::kReach pictures of about 6 bytes a pixel.
// Thread: one at a time. x264's own threads (slices) live only inside `encode`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/payload.h"
#include "base/result.h"
#include "base/units.h"
#include "media/codec/reference_plan.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

struct X264LayerOptions {
  PictureSize size;  // even
  FrameRate rate;
  DataRate bitrate;
  int threads = 1;           // slices coded in parallel
  double buffer_frames = 4;  // of the rate control
  // The only one: coded better in 1.6 times the time, where it is small. One of two: a backlog behind a
  // peak is made up for at once, since meanwhile the base is shown in its place.
  bool alone = false;
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
};

struct LayerPicture {
  Payload data;  // annex B; parameter sets before each IDR
  TemporalClass temporal_class = TemporalClass::kT0;
  std::vector<std::uint8_t> frames_back;  // those it refers to; none: IDR
  std::int32_t needed_for = 0;
  double quantiser = 0;  // of the picture, without what its class adds to each macroblock

  bool is_sync_point() const { return frames_back.empty(); }
};

class X264Layer {
 public:
  // H.264's. x264 would go on to 69 where its buffer has nothing left, and code no residual there: a
  // key frame would be a flat grey, whatever its scene. With this one it takes a few frames' bits.
  static constexpr int kMostQuantiser = 51;
  // What is finer nobody sees, and it comes later: of the same scene 11 takes twice the bytes of 18. Of
  // the whole picture: its class is added.
  static constexpr int kLeastQuantiser = 18;

  static Result<std::unique_ptr<X264Layer>> open(const X264LayerOptions& options);
  virtual ~X264Layer() = default;

  // The next frame, of the options' size. An IDR where `sync` is set, where the group of pictures
  // is over, where x264 sees a cut, or where losses left nothing to refer to; `gop` is how long the
  // group shall be if this frame starts one. Numbers rise by one, but for a frame with `sync`,
  // which may leave some out. After an error the layer is of no more use.
  virtual Result<LayerPicture> encode(const VideoFrame& frame, FrameNumber number, bool sync,
                                      int gop) = 0;
  // The receiver will not have that frame: see ReferencePlan.
  virtual void on_lost(FrameNumber number) = 0;
  // From the next frame on: ReferencePlan's.
  virtual void set_droppable_frames(bool on) = 0;
  // From the next frame on. At least 1 kbit/s.
  virtual void set_bitrate(DataRate bitrate) = 0;
};

}  // namespace qvid::media
