// The decoder of every codec of layers: one decoder for each layer, whose streams are independent.
//
// The picture given is the highest layer's; its pixels are the library's own, shared by reference, or
// lie in the store, also those that are only referred to. A layer that met bad input begins anew at its
// next synchronisation point; the others go on.
//
// Thread: one at a time.
#pragma once

#include <array>
#include <memory>

#include "media/codec/decoder.h"
#include "media/codec/layers/frame_header.h"
#include "media/codec/layers/layer_decoder.h"

namespace qvid::media {

class LayeredDecoder : public Decoder {
 public:
  LayeredDecoder(CodecKind kind, LayerDecoderMaker make) : kind_(kind), make_(std::move(make)) {}

  Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) override;

 private:
  CodecKind kind_;
  LayerDecoderMaker make_;
  std::array<std::unique_ptr<LayerDecoder>, kMostLayers> layers_;  // those that were needed
};

}  // namespace qvid::media
