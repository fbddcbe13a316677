// One stream of AV1 by libaom in real time: each picture in, one unit out at once, referring to and
// kept where it was told.
//
// What libaom 3.6 was found to do, and what is done about it:
//   a slot is kept only where one of the seven names of references stands for it: the name kParked
//   does, which no block uses. Parked under GOLDEN, BWDREF or ALTREF every frame counts as a golden
//   one, and half of the rate is left unused
//   now and then it keeps a picture in slot 0 as well (a golden one): av1_frame_bits.h reads where
//   g_error_resilient numbers the frames, and dav1d refuses what names a slot that it has an older
//   frame in, used or not: resilience is asked for frame by frame instead
//   entropy contexts come from the frame before where that is the reference; from none after a loss
//
// Invariant: a frame takes pixels and contexts from its planned reference and nothing else.
// Thread: one at a time. libaom's own threads live only inside `encode`.
#pragma once

#include <cstdint>
#include <memory>

#include "base/payload.h"
#include "base/result.h"
#include "media/codec/av1/av1_reference_plan.h"
#include "media/codec/av1/av1_speed.h"
#include "media/codec/layers/layer_stream.h"

namespace qvid::media {

struct Av1Unit {
  Payload data;              // without temporal delimiter
  std::uint8_t kept_in = 0;  // slots, a bit each
  int quantiser = 0;         // AV1's index, 0 to 255
};

class Av1Stream {
 public:
  static Result<std::unique_ptr<Av1Stream>> open(const LayerStreamOptions& options);
  virtual ~Av1Stream() = default;

  // The next frame, of the options' size. After an error the stream is of no more use.
  virtual Result<Av1Unit> encode(const VideoFrame& frame, const Av1PlannedFrame& planned) = 0;
  // From the next frame on. At least 1 kbit/s. False: refused.
  virtual bool set_bitrate(DataRate bitrate) = 0;
  // From the next frame on. `drawn`: the pictures are drawn by a machine (drawn_content.h): palettes, and
  // decisions that suit text; else a step slower or faster than usual.
  virtual void set_effort(bool drawn, Av1Effort effort) = 0;
};

}  // namespace qvid::media
