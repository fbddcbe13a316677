// The decoder of the codec `h264`: one libavcodec decoder for each of the two streams.
//
// A unit goes in as one packet and comes out as one picture, at once, or it is an error; frames
// dropped by temporal class leave gaps in the stream's frame numbers, which libavcodec fills
// without touching what the rest refers to. The picture given is the highest layer's; its pixels
// are libavcodec's own, shared by reference.
//
// A layer that met bad input is forgotten altogether and starts anew at its next synchronisation
// point: nothing of the damage outlives it.
//
// With a store the pictures lie there, also those that are only referred to.
//
// Bound: of what a stranger's stream may make libavcodec hold. Its parameter sets are read before
// libavcodec sees them (h264_sequence.h): pictures are no larger than the header says, and what all
// decoders of the program would keep is at most PictureMemory::kMost; beyond, it is refused.
//
// Thread: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "media/codec/decoder.h"
#include "media/codec/h264_header.h"

namespace qvid::media {

class H264Decoder final : public Decoder {
 public:
  // `store`: as make_decoder has it.
  explicit H264Decoder(PictureStore* store = nullptr);
  ~H264Decoder() override;

  Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) override;

 private:
  class Layer;
  std::array<std::unique_ptr<Layer>, kH264Layers> layers_;
};

}  // namespace qvid::media
