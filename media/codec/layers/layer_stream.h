// One layer of a codec: a stream of pictures of one size, that knows nothing of other layers.
//
// What makes layers and puts them together is the same for every codec (layered_encoder.h); a codec
// is how one layer is coded, and how it is decoded (layer_decoder.h).
//
// Invariant: a frame refers to `frames_back` and nothing else; nothing after `needed_for` frames
// refers to it.
// Thread: one at a time. A library's own threads live only inside `encode`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/payload.h"
#include "base/result.h"
#include "base/units.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

struct LayerStreamOptions {
  PictureSize size;  // of the pictures that it is given
  FrameRate rate;
  DataRate bitrate;
  int threads = 1;
  double buffer_frames = 4;  // EncoderOptions::buffer_frames
  // The only layer. One of several makes up for a backlog behind a peak at once, since meanwhile the
  // layer below is shown in its place.
  bool alone = false;
  bool halved = false;  // the pictures are what a structure makes of larger ones
  ColorRange range = ColorRange::kLimited;
  ColorMatrix matrix = ColorMatrix::kBt601;
};

// Of a layer, in the quantisers of H.264 (6 more are steps twice as wide), whatever the codec's own are.
// 51 is the coarsest. What is finer than 18 nobody sees, and it comes later: of the same scene 11
// takes twice the bytes of 18.
inline constexpr double kLeastQuantiser = 18;
inline constexpr double kMostQuantiser = 51;

struct LayerPicture {
  Payload data;
  TemporalClass temporal_class = TemporalClass::kT0;
  std::vector<std::uint8_t> frames_back;  // those it refers to; none: a synchronisation point
  std::int32_t needed_for = 0;
  double quantiser = 0;  // of the picture, without what its class adds to each block

  bool is_sync_point() const { return frames_back.empty(); }
};

class LayerStream {
 public:
  virtual ~LayerStream() = default;

  // The next frame, of the options' size. A synchronisation point where `sync` is set, where the group
  // of pictures is over, where losses left nothing to refer to, or where the codec sees a cut; `gop` is
  // how long the group shall be if this frame begins one. Numbers rise by one, but for a frame with
  // `sync`, which may leave some out. After an error the layer is of no more use.
  virtual Result<LayerPicture> encode(const VideoFrame& frame, FrameNumber number, bool sync,
                                      int gop) = 0;
  // The receiver will not have that frame: nothing that is made later stands on it.
  virtual void on_lost(FrameNumber number) = 0;
  // From the next frame on: whether there are to be frames that no later one needs. Ignored by a
  // codec of one temporal class.
  virtual void set_droppable_frames(bool on) = 0;
  // From the next frame on. At least 1 kbit/s.
  virtual void set_bitrate(DataRate bitrate) = 0;
};

using LayerStreamMaker =
    std::function<Result<std::unique_ptr<LayerStream>>(const LayerStreamOptions&)>;

}  // namespace qvid::media
