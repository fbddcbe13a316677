// The encoder of every codec of layers: each frame in one to three independent streams (simulcast),
// each of half the width and height of the next.
//
//     unit 0 = L, half width and height         unit 1 = H, full size
//
// or, where that looks better, L alone, of half size or of full size (layer_choice.h); or, asked for,
// a layer of a quarter below them. How one layer is coded is the codec's (layer_stream.h).
// Prediction between layers would save 1 to 7% of the rate of two of AV1, and tie the upper one to
// the losses of the lower.
//
// The frame's temporal class is L's. Key frames of the layers are spread over the group of pictures, so
// that they do not burst together, except at the first frame, where one was requested of all, and where
// all see a cut. With aligned groups every key frame of L is one of the others too; they may have more,
// at cuts that only they see.
//
// Layers know nothing of each other's losses, rates or key frames.
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "media/codec/encoder.h"
#include "media/codec/layers/frame_header.h"
#include "media/codec/layers/layer_choice.h"
#include "media/codec/layers/layer_stream.h"

namespace qvid::media {

// What its layers have in common.
struct LayeredCodec {
  CodecKind kind = CodecKind::kH264;
  bool even_sizes = false;  // it codes no others
  LayerLimits limits;
  LayerStreamMaker open;
};

class LayeredEncoder final : public Encoder {
 public:
  static Result<std::unique_ptr<Encoder>> create(LayeredCodec codec, const EncoderOptions& options);

  Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) override;
  void request_sync_point() override { sync_requested_.fill(true); }
  void request_sync_point(std::uint8_t layer) override;
  void on_lost(FrameNumber frame, std::uint8_t layer) override;
  void set_rates(DataRate total, DataRate base) override;
  void set_base_needed(bool needed) override { choice_.set_needed(needed); }
  void set_droppable_frames(bool on) override;
  void set_gop(int frames) override { options_.gop = std::clamp(frames, 1, kMaxGop); }

 private:
  LayeredEncoder(LayeredCodec codec, const EncoderOptions& options);

  // Opens the streams for the structure chosen and the colours of `frame`, unless they are open for
  // these already: no library can change sizes, nor what it signals.
  std::optional<Error> open_for(const VideoFrame& frame);
  std::size_t layers() const { return layers_of(structure_); }
  PictureSize size_of(std::size_t layer) const;  // of the picture to show
  DataRate rate_of(std::size_t layer) const;
  // The frame at each layer's size.
  std::array<VideoFrame, kMostLayers> scaled(const VideoFrame& frame) const;
  Result<CodedFrame> encode_layers(const VideoFrame& frame, FrameNumber number);

  LayeredCodec codec_;
  EncoderOptions options_;
  DataRate total_;
  DataRate base_;
  bool droppable_ = true;
  LayerChoice choice_;
  LayerStructure structure_ = LayerStructure::kBoth;  // of what is open
  std::array<std::unique_ptr<LayerStream>, kMostLayers>
      open_;                                // by layer; those there are, or none
  std::array<DataRate, kMostLayers> told_;  // rates, by layer
  ColorRange range_ = ColorRange::kLimited;
  ColorMatrix matrix_ = ColorMatrix::kBt601;
  std::optional<FrameNumber> last_;
  std::array<bool, kMostLayers> sync_requested_{};  // by layer
};

}  // namespace qvid::media
