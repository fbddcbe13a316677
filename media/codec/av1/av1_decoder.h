// The decoder of the codec `av1`: dav1d, on the thread that calls it.
//
// A unit goes in as one piece and comes out as one picture, at once, or it is an error. Its pixels
// are dav1d's own, shared by reference.
//
// Invariant: a dav1d begins at a synchronisation point and lives until the next one or until an
// error: nothing of bad input outlives it. Before anything is decoded it knows the largest picture
// that there may be, the header's.
//
// Thread: one at a time.
#pragma once

#include <memory>

#include "media/codec/decoder.h"

struct Dav1dContext;

namespace qvid::media {

class Av1Decoder final : public Decoder {
 public:
  // `store`: as make_decoder has it.
  explicit Av1Decoder(PictureStore* store = nullptr) : store_(store) {}

  Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) override;

 private:
  struct Close {
    void operator()(Dav1dContext* context) const;
  };

  std::optional<Error> begin(PictureSize size);
  Result<VideoFrame> decode_unit(const Payload& data);

  PictureStore* const store_;
  std::unique_ptr<Dav1dContext, Close> context_;
  PictureSize size_;  // of its pictures
};

}  // namespace qvid::media
