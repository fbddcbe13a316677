// The encoder of the codec `h264`: each frame as two independent H.264 streams (simulcast).
//
//     unit 0 = L, half width and height         unit 1 = H, full size
//
// Both have three temporal classes (media/codec/x264_layer.h); the frame's class is L's. The key
// frames of H come half a group of pictures after those of L, so that they do not burst together,
// except at the first frame, where one was requested of both, and where both see a cut. With
// aligned groups every key frame of L is one of H too; H may have more, at cuts that only it sees.
//
// L and H know nothing of each other's losses, rates or key frames; without H, L is coded alone and
// the header is as ever.
//
// Thread: one at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "media/codec/encoder.h"
#include "media/codec/h264_header.h"
#include "media/codec/x264_layer.h"

namespace qvid::media {

class H264Encoder final : public Encoder {
 public:
  static Result<std::unique_ptr<Encoder>> create(const EncoderOptions& options);

  Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) override;
  void request_sync_point() override { sync_requested_.fill(true); }
  void request_sync_point(std::uint8_t layer) override;
  void on_lost(FrameNumber frame, std::uint8_t layer) override;
  void set_rates(DataRate total, DataRate base) override;
  void set_layers(int count) override;
  void set_gop(int frames) override { options_.gop = std::clamp(frames, 1, kMaxGop); }

 private:
  explicit H264Encoder(const EncoderOptions& options);

  // Opens both streams for the colours of `frame`, unless they are open for these already: x264
  // cannot change what it signals.
  std::optional<Error> open_for(const VideoFrame& frame);
  Result<CodedFrame> encode_layers(const VideoFrame& frame, FrameNumber number);

  EncoderOptions options_;
  std::array<DataRate, kH264Layers> rates_;                   // by layer
  std::array<std::unique_ptr<X264Layer>, kH264Layers> open_;  // by layer; all or none
  ColorRange range_ = ColorRange::kLimited;
  ColorMatrix matrix_ = ColorMatrix::kBt601;
  std::optional<FrameNumber> last_;
  std::array<bool, kH264Layers> sync_requested_{};  // by layer
  std::size_t layers_ = kH264Layers;                // that are encoded
};

}  // namespace qvid::media
