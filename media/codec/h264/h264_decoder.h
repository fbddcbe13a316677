// The decoder of the codec `h264`: a libavcodec decoder for each layer.
//
// A unit goes in as one packet and comes out as one picture, at once, or it is an error; frames
// dropped by temporal class leave gaps in the stream's frame numbers, which libavcodec fills
// without touching what the rest refers to.
//
// Bound: of what a stranger's stream may make libavcodec hold. Its parameter sets are read before
// libavcodec sees them (h264_sequence.h): pictures are no larger than the header says, and what all
// decoders of the program would keep is at most PictureMemory::kMost; beyond, it is refused.
//
// Thread: one at a time.
#pragma once

#include "media/codec/layers/layered_decoder.h"

namespace qvid::media {

class H264Decoder final : public LayeredDecoder {
 public:
  // `store`: as make_decoder has it.
  explicit H264Decoder(PictureStore* store = nullptr);
};

}  // namespace qvid::media
