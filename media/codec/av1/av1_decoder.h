// The decoder of the codec `av1`: a dav1d for each layer, on the thread that calls it.
//
// A unit goes in as one piece and comes out as one picture, at once, or it is an error.
//
// Thread: one at a time.
#pragma once

#include "media/codec/layers/layered_decoder.h"

namespace qvid::media {

class Av1Decoder final : public LayeredDecoder {
 public:
  // `store`: as make_decoder has it.
  explicit Av1Decoder(PictureStore* store = nullptr);
};

}  // namespace qvid::media
