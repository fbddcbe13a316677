// The two faces of a scalable video codec. One implementation each per codec; make_encoder and
// make_decoder choose by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/coded_frame.h"
#include "media/video_frame.h"

namespace qvid::media {

struct EncoderOptions {
  PictureSize size;                              // of the frames that will be given
  FrameRate rate;                                // nominal
  DataRate bitrate = DataRate::from_kbps(2500);  // all units together
  int gop = 60;     // frames from one synchronisation point to the next
  int threads = 1;  // per layer; 1..16
};

// Thread: one at a time, any thread. Not shared.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // Encodes the next frame; numbers must increase by one. `frame.size` must be the options'.
  virtual Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) = 0;
  // The next frame encoded is a synchronisation point in every layer.
  virtual void request_sync_point() = 0;
  virtual void set_bitrate(DataRate bitrate) = 0;
};

// What has come of a frame by its decode time.
struct ReceivedFrame {
  FrameNumber number;
  Payload header;
  std::vector<CodedUnit> units;  // those that came, by layer
};

struct DecodedFrame {
  FrameNumber number;
  VideoFrame picture;   // of the highest layer that could be decoded
  PictureSize nominal;  // what the source sent: the picture is shown at this aspect
  std::uint8_t layer = 0;
  std::uint8_t layers = 1;  // how many this frame has when whole
};

// Decodes any subset of units that the dependencies allow. The caller gives only units whose
// dependencies were decoded (FrameAssembler knows), each layer's in increasing order of frames.
//
// Bad input: a payload that is not what the codec makes gives an Error; the decoder stays usable
// from the next synchronisation point on.
// Thread: one at a time, any thread. Not shared.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Empty where nothing of the frame can be shown.
  virtual Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) = 0;
};

Result<std::unique_ptr<Encoder>> make_encoder(std::string_view codec,
                                              const EncoderOptions& options);
Result<std::unique_ptr<Decoder>> make_decoder(std::string_view codec);

}  // namespace qvid::media
