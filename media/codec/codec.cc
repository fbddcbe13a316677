#include "media/codec/decoder.h"
#include "media/codec/encoder.h"

#include "media/codec/h264_decoder.h"
#include "media/codec/h264_encoder.h"

namespace qvid::media {
namespace {

constexpr std::string_view kH264 = "h264";

Error unknown_codec(std::string_view name) {
  return {"there is no codec '" + std::string(name) + "'; known: " + std::string(kH264)};
}

}  // namespace

Result<std::unique_ptr<Encoder>> make_encoder(std::string_view codec,
                                              const EncoderOptions& options) {
  if (codec == kH264) return H264Encoder::create(options);
  return unknown_codec(codec);
}

Result<std::unique_ptr<Decoder>> make_decoder(std::string_view codec) {
  if (codec == kH264) return std::unique_ptr<Decoder>(std::make_unique<H264Decoder>());
  return unknown_codec(codec);
}

}  // namespace qvid::media
