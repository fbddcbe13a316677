#include "media/codec/codec.h"

#include <array>

#include "base/byte_io.h"
#include "media/codec/av1/av1_decoder.h"
#include "media/codec/av1/av1_layer.h"
#include "media/codec/decoder.h"
#include "media/codec/encoder.h"
#include "media/codec/h264/h264_decoder.h"
#include "media/codec/h264/x264_layer.h"
#include "media/codec/layers/layered_encoder.h"

namespace qvid::media {
namespace {

template <class Kind>
std::unique_ptr<Decoder> new_decoder_of(PictureStore* store) {
  return std::make_unique<Kind>(store);
}

// All that there is to know of a codec outside its own folder.
struct Codec {
  CodecKind kind = CodecKind::kH264;
  Result<std::unique_ptr<Encoder>> (*encoder)(const EncoderOptions&) = nullptr;
  std::unique_ptr<Decoder> (*decoder)(PictureStore*) = nullptr;

  std::string_view name() const { return name_of(kind); }
};

Result<std::unique_ptr<Encoder>> h264_encoder(const EncoderOptions& options) {
  return LayeredEncoder::create({.kind = CodecKind::kH264,
                                 .even_sizes = true,
                                 .limits = kLimitsOfH264,
                                 .open = open_x264_layer},
                                options);
}
Result<std::unique_ptr<Encoder>> av1_encoder(const EncoderOptions& options) {
  return LayeredEncoder::create(
      {.kind = CodecKind::kAv1, .limits = kLimitsOfAv1, .open = open_av1_layer}, options);
}

constexpr std::array kCodecs = {
    Codec{CodecKind::kH264, h264_encoder, new_decoder_of<H264Decoder>},  // kPlainCodec
    Codec{CodecKind::kAv1, av1_encoder, new_decoder_of<Av1Decoder>},
};

const Codec* find_codec(std::string_view name) {
  for (const Codec& codec : kCodecs) {
    if (codec.name() == name) return &codec;
  }
  return nullptr;
}

const Codec* codec_of_header(const Payload& header) {
  const std::uint8_t kind = ByteReader(header.bytes()).u8();
  for (const Codec& codec : kCodecs) {
    if (static_cast<std::uint8_t>(codec.kind) == kind) return &codec;
  }
  return nullptr;
}

Error unknown_codec(std::string_view name) {
  std::string known;
  for (const Codec& codec : kCodecs) known.append(known.empty() ? "" : ", ").append(codec.name());
  return {"there is no codec '" + std::string(name) + "'; known: " + known};
}

// The decoder of whatever a frame says that it is of. At a change what the one before had is gone:
// a codec begins with a synchronisation point.
class AnyDecoder final : public Decoder {
 public:
  AnyDecoder(const Codec& first, PictureStore* store)
      : store_(store), codec_(&first), decoder_(first.decoder(store)) {}

  Result<std::optional<DecodedFrame>> decode(const ReceivedFrame& frame) override {
    const Codec* codec = codec_of_header(frame.header);
    if (codec != nullptr && codec != codec_) {
      codec_ = codec;
      decoder_ = codec->decoder(store_);
    }
    return decoder_->decode(frame);
  }

 private:
  PictureStore* const store_;
  const Codec* codec_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace

std::vector<std::string> codec_names() {
  std::vector<std::string> names;
  for (const Codec& codec : kCodecs) names.emplace_back(codec.name());
  return names;
}

std::string_view codec_of(const CodedFrame& frame) {
  const Codec* codec = codec_of_header(frame.header);
  return codec != nullptr ? codec->name() : std::string_view();
}

Result<std::unique_ptr<Encoder>> make_encoder(std::string_view codec,
                                              const EncoderOptions& options) {
  const Codec* found = find_codec(codec);
  if (found == nullptr) return unknown_codec(codec);
  return found->encoder(options);
}

Result<std::unique_ptr<Decoder>> make_decoder(std::string_view codec, PictureStore* store) {
  const Codec* found = find_codec(codec);
  if (found == nullptr) return unknown_codec(codec);
  return std::unique_ptr<Decoder>(std::make_unique<AnyDecoder>(*found, store));
}

}  // namespace qvid::media
