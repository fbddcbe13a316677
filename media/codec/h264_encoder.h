// The encoder of the codec `h264`: each frame as two independent H.264 streams (simulcast).
//
//     unit 0 = L, half width and height         unit 1 = H, full size
//
// or, where that looks better, as L alone, of half size or of full size (layer_choice.h).
//
// Both have three temporal classes (media/codec/x264_layer.h); the frame's class is L's. The key
// frames of H come half a group of pictures after those of L, so that they do not burst together,
// except at the first frame, where one was requested of both, and where both see a cut. With
// aligned groups every key frame of L is one of H too; H may have more, at cuts that only it sees.
//
// L and H know nothing of each other's losses, rates or key frames.
//
// Thread: one at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "media/codec/encoder.h"
#include "media/codec/h264_header.h"
#include "media/codec/layer_choice.h"
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
  void set_base_needed(bool needed) override { choice_.set_needed(needed); }
  void set_droppable_frames(bool on) override;
  void set_gop(int frames) override { options_.gop = std::clamp(frames, 1, kMaxGop); }

 private:
  explicit H264Encoder(const EncoderOptions& options);

  // Opens the streams for the structure chosen and the colours of `frame`, unless they are open for
  // these already: x264 cannot change sizes, nor what it signals.
  std::optional<Error> open_for(const VideoFrame& frame);
  std::size_t layers() const { return structure_ == LayerStructure::kBoth ? kH264Layers : 1; }
  PictureSize size_of(std::size_t layer) const;  // of the picture to show
  DataRate rate_of(std::size_t layer) const;
  void apply_rates();
  Result<CodedFrame> encode_layers(const VideoFrame& frame, FrameNumber number);

  EncoderOptions options_;
  DataRate total_;
  DataRate base_;
  bool droppable_ = true;
  LayerChoice choice_;
  LayerStructure structure_ = LayerStructure::kBoth;          // of what is open
  std::array<std::unique_ptr<X264Layer>, kH264Layers> open_;  // by layer; those there are, or none
  std::array<DataRate, kH264Layers> told_;                    // rates, by layer
  ColorRange range_ = ColorRange::kLimited;
  ColorMatrix matrix_ = ColorMatrix::kBt601;
  std::optional<FrameNumber> last_;
  std::array<bool, kH264Layers> sync_requested_{};  // by layer
};

}  // namespace qvid::media
