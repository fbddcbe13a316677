// The encoder of the codec `h264`: each frame as two independent H.264 streams (simulcast).
//
//     unit 0 = L, half width and height         unit 1 = H, full size
//
// Both have three temporal classes (media/x264_layer.h); the frame's class is L's. The key frames
// of H come half a group of pictures after those of L, so that they do not burst together, except
// at the first frame, where one was requested, and where both see a cut.
//
// Thread: one at a time.
#pragma once

#include <memory>
#include <optional>

#include "media/codec.h"
#include "media/x264_layer.h"

namespace qvid::media {

class H264Encoder final : public Encoder {
 public:
  static Result<std::unique_ptr<Encoder>> create(const EncoderOptions& options);

  Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) override;
  void request_sync_point() override { sync_requested_ = true; }
  // Beyond the bounds of the options: the nearest bound.
  void set_bitrate(DataRate bitrate) override;

 private:
  explicit H264Encoder(const EncoderOptions& options) : options_(options) {}

  // Opens both streams for the colours of `frame`, unless they are open for these already: x264
  // cannot change what it signals.
  std::optional<Error> open_for(const VideoFrame& frame);
  Result<CodedFrame> encode_layers(const VideoFrame& frame, FrameNumber number);

  EncoderOptions options_;
  std::unique_ptr<X264Layer> low_;
  std::unique_ptr<X264Layer> high_;
  ColorRange range_ = ColorRange::kLimited;
  ColorMatrix matrix_ = ColorMatrix::kBt601;
  std::optional<FrameNumber> last_;
  bool sync_requested_ = false;
};

}  // namespace qvid::media
