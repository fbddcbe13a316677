// What makes coded frames of pictures. One implementation a codec; make_encoder chooses by name.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "media/codec/layers/layer_structure.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

inline constexpr int kMaxGop = 1800;  // frames

struct EncoderOptions {
  PictureSize size;                              // of the frames that will be given
  FrameRate rate;                                // nominal
  DataRate bitrate = DataRate::from_kbps(2500);  // all units together; the codec divides it
  int gop = 60;                            // frames from one synchronisation point to the next
  int threads = 1;                         // per layer; 1..16
  std::optional<LayerStructure> layers{};  // empty: by what it codes
  // Of the rate control, in frames at the rate: the longest that a frame occupies a link of just
  // that. More where nobody waits for the next picture.
  double buffer_frames = 4;
  // Every layer has a synchronisation point where the base layer has one, so that a file can be
  // entered there. Otherwise they are spread, so that key frames do not burst together.
  bool aligned_gops = false;
};

// What is called between two frames holds from the next frame on. Layers that there are not are
// ignored.
// Thread: one at a time, any thread. Not shared.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // Encodes the next frame; numbers must increase by one. `frame.size` must be the options'.
  // What each unit of the result depends on and is needed for is exact in the first, and in the
  // second at least what any later frame will depend on.
  virtual Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) = 0;

  // The next frame encoded is a synchronisation point in every layer, or in that one.
  virtual void request_sync_point() = 0;
  virtual void request_sync_point(std::uint8_t layer) = 0;

  // The receiver will not have that unit: it was cancelled before it was sent. Nothing encoded from
  // now on depends on it, directly or not. That takes no synchronisation point as long as an older
  // picture that both ends have is within the codec's reach (media/codec/h264/reference_plan.h). To be
  // told as soon as it is known, once; numbers from before the last synchronisation point, or not
  // encoded yet, change nothing. With several receivers: what one of them lost, none uses.
  virtual void on_lost(FrameNumber frame, std::uint8_t layer) = 0;

  // What all layers may take together, 10 kbit/s to 200 Mbit/s, and the base layer's part of it
  // where there are more, at most a half, at least 10 kbit/s where that is not more; beyond: the
  // nearest. One layer alone has all of it. The rate is the mean over about half a second; the codec
  // follows within about 6 frames downwards and 15 upwards, so it may be changed ten times a second.
  virtual void set_rates(DataRate total, DataRate base) = 0;

  // Whether the receivers take such different rates that the base is to be there for the weakest.
  // So it is at first. Otherwise the codec makes as many layers as look best at the rate: fewer
  // units, and a base of another size, from a synchronisation point in all of them on.
  virtual void set_base_needed(bool needed) = 0;

  // Whether there are frames that no later one needs, so that some can be left out without harm to
  // the others. So it is at first. It costs rate (x264_layer.cc), and is not worth it where each
  // loss is told by on_lost.
  virtual void set_droppable_frames(bool on) = 0;

  // Frames from one synchronisation point of a layer to the next, for groups that begin from now on:
  // 1 to kMaxGop; beyond: the nearest.
  virtual void set_gop(int frames) = 0;
};

Result<std::unique_ptr<Encoder>> make_encoder(std::string_view codec,
                                              const EncoderOptions& options);

}  // namespace qvid::media
