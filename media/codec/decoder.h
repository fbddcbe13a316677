// What makes pictures of coded frames. One implementation a codec; make_decoder chooses by name.
#pragma once

#include <bitset>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/codec/picture_store.h"
#include "media/picture/video_frame.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

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
  // How many it takes for the full picture, whether they were encoded or not: whole is layers - 1.
  std::uint8_t layers = 1;
  std::bitset<kMaxUnits> failed = {};  // layers that were given and could not be decoded
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
  // Empty where nothing of the frame can be shown; an Error where nothing could be decoded.
  virtual Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) = 0;
};

// `codec`: what it will get at first, by the names of media/codec/codec.h. It decodes frames of every
// codec that is known here, each as its header says. `store`: where its pictures lie; outlives them.
// Null: wherever the codec's library has memory.
Result<std::unique_ptr<Decoder>> make_decoder(std::string_view codec,
                                              PictureStore* store = nullptr);

// As make_decoder has it, or decoders in processes of their own (media/codec/process/). Any thread.
using DecoderMaker = std::function<Result<std::unique_ptr<Decoder>>(std::string_view codec)>;
// Of decoders in this process.
inline DecoderMaker decoders_here() {
  return [](std::string_view codec) { return make_decoder(codec); };
}

}  // namespace qvid::media
