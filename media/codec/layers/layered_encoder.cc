#include "media/codec/layers/layered_encoder.h"

#include <string>
#include <utility>

#include "media/codec/encoder_limits.h"
#include "media/picture/downscale.h"

namespace qvid::media {
namespace {

// A layer's part of the rate of itself and the one above. It has a quarter of the pixels, so a fifth
// gives both about the same bits per pixel. Pixels of the lower are harder, having more detail each: it
// comes out 0.6 dB (texture) to 4 dB (webcam) below the upper, each at its own size. More would be
// taken from those who see the upper.
constexpr double kLowShare = 0.2;
constexpr double kMostLowShare = 0.5;
// Of the whole rate: a base of a quarter of the width and height, which has a quarter of the pixels of half
// of them; more is of no use to it.
constexpr double kQuarterShare = 0.06;

std::optional<Error> check(const LayeredCodec& codec, const EncoderOptions& o) {
  if (auto error = check_encoder_options(o)) return error;
  if (!codec.even_sizes || (o.size.width % 2 == 0 && o.size.height % 2 == 0)) return std::nullopt;
  return Error{"cannot encode " + size_text(o.size) + ": width and height must be even"};
}

// What is asked for, as far as the picture is large enough for it.
std::optional<LayerStructure> possible(const EncoderOptions& o) {
  constexpr int kLeast = 4 * kMinSide / 2;
  const bool small = o.size.width < kLeast || o.size.height < kLeast;
  return o.layers == LayerStructure::kThree && small ? LayerStructure::kBoth : o.layers;
}

CodedUnit unit_of(LayerPicture picture, std::uint8_t layer) {
  CodedUnit unit;
  unit.layer = layer;
  for (const std::uint8_t back : picture.frames_back) unit.depends_on.push_back({back, layer});
  unit.needed_for = picture.needed_for;
  unit.data = std::move(picture.data);
  return unit;
}

}  // namespace

Result<std::unique_ptr<Encoder>> LayeredEncoder::create(LayeredCodec codec,
                                                        const EncoderOptions& options) {
  if (auto error = check(codec, options)) return *std::move(error);
  return std::unique_ptr<Encoder>(new LayeredEncoder(std::move(codec), options));
}

LayeredEncoder::LayeredEncoder(LayeredCodec codec, const EncoderOptions& options)
    : codec_(std::move(codec)),
      options_(options),
      total_(options.bitrate),
      base_(options.bitrate * kLowShare),
      choice_(options.rate, codec_.limits, possible(options)) {}

void LayeredEncoder::request_sync_point(std::uint8_t layer) {
  if (layer < kMostLayers) sync_requested_[layer] = true;
}

void LayeredEncoder::on_lost(FrameNumber frame, std::uint8_t layer) {
  if (layer < kMostLayers && open_[layer]) open_[layer]->on_lost(frame);
}

void LayeredEncoder::set_droppable_frames(bool on) {
  droppable_ = on;
  for (const auto& layer : open_) {
    if (layer) layer->set_droppable_frames(on);
  }
}

void LayeredEncoder::set_rates(DataRate total, DataRate base) {
  total_ = std::clamp(total, kLeastBitrate, kMostBitrate);
  base_ = std::min(std::max(base, kLeastBitrate), total_ * kMostLowShare);
  for (std::size_t layer = 0; layer < kMostLayers; ++layer) {
    if (!open_[layer] || std::exchange(told_[layer], rate_of(layer)) == rate_of(layer)) continue;
    open_[layer]->set_bitrate(told_[layer]);
  }
}

DataRate LayeredEncoder::rate_of(std::size_t layer) const {
  if (layers() == 1) return total_;
  const bool three = layers() == 3;
  const DataRate low =
      three ? std::min(base_, std::max(total_ * kQuarterShare, kLeastBitrate)) : base_;
  if (layer == 0) return low;
  const DataRate rest = DataRate::from_bps(total_.bps() - low.bps());
  if (!three) return rest;
  return rest * (layer == 1 ? kLowShare : 1 - kLowShare);
}

PictureSize LayeredEncoder::size_of(std::size_t layer) const {
  PictureSize size = options_.size;
  for (int i = 0; i < halvings_of(structure_, layer); ++i) size = half_size(size);
  return size;
}

std::optional<Error> LayeredEncoder::open_for(const VideoFrame& frame) {
  const bool same = structure_ == choice_.structure();
  if (open_[0] && same && range_ == frame.range && matrix_ == frame.matrix) return std::nullopt;
  structure_ = choice_.structure();
  range_ = frame.range;
  matrix_ = frame.matrix;
  open_ = {};
  std::array<std::unique_ptr<LayerStream>, kMostLayers> opened;
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    const PictureSize size = size_of(layer);
    auto stream = codec_.open({.size = size == options_.size ? size : even_size(size),
                               .rate = options_.rate,
                               .bitrate = told_[layer] = rate_of(layer),
                               .threads = options_.threads,
                               .buffer_frames = options_.buffer_frames,
                               .alone = layers() == 1,
                               .halved = size != options_.size,
                               .range = range_,
                               .matrix = matrix_});
    if (!stream) return stream.error();
    opened[layer] = *std::move(stream);
    opened[layer]->set_droppable_frames(droppable_);
  }
  open_ = std::move(opened);
  return std::nullopt;
}

std::array<VideoFrame, kMostLayers> LayeredEncoder::scaled(const VideoFrame& frame) const {
  std::array<VideoFrame, kMostLayers> pictures;
  VideoFrame picture = frame;
  int halved = 0;
  for (std::size_t layer = layers(); layer-- > 0;) {
    for (; halved < halvings_of(structure_, layer); ++halved) picture = downscale_half(picture);
    pictures[layer] = picture;
  }
  return pictures;
}

Result<CodedFrame> LayeredEncoder::encode(const VideoFrame& frame, FrameNumber number) {
  if (frame.size != options_.size) return Error{"a frame of another size than the encoder's"};
  if (last_ && number != last_->next()) {
    return Error{"frame " + std::to_string(number.value()) + " does not follow frame " +
                 std::to_string(last_->value())};
  }
  if (auto error = open_for(frame)) return *std::move(error);
  auto coded = encode_layers(frame, number);
  if (!coded) {
    // One stream may be a frame ahead of another now: start all again.
    open_ = {};
  }
  last_ = number;
  return coded;
}

Result<CodedFrame> LayeredEncoder::encode_layers(const VideoFrame& frame, FrameNumber number) {
  const auto inputs = scaled(frame);
  std::array<LayerPicture, kMostLayers> pictures;
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    const bool with_low = layer > 0 && pictures[0].is_sync_point();
    // This one rule staggers the layers, and staggers them again whenever cuts have brought them
    // together.
    const bool staggered = with_low && !options_.aligned_gops;
    const int part = options_.gop * static_cast<int>(layer) / static_cast<int>(layers());
    const int gop = staggered ? std::max(1, part) : options_.gop;
    const bool joins = with_low && options_.aligned_gops;
    const bool sync = std::exchange(sync_requested_[layer], false) || joins;
    auto picture = open_[layer]->encode(inputs[layer], number, sync, gop);
    if (!picture) return picture.error();
    pictures[layer] = *std::move(picture);
  }
  std::size_t bytes = 0;
  for (std::size_t layer = 0; layer < layers(); ++layer) bytes += pictures[layer].data.size();
  const double part = 125 * total_.kbps() / options_.rate.per_second();  // bytes
  choice_.on_frame(pictures[layers() - 1].quantiser, static_cast<double>(bytes) / part);

  CodedFrame coded;
  coded.number = number;
  coded.captured = frame.captured;
  coded.temporal_class = pictures[0].temporal_class;
  FrameHeader header{.codec = codec_.kind,
                     .nominal = options_.size,
                     .low = size_of(0),
                     .three = structure_ == LayerStructure::kThree,
                     .temporal_class = coded.temporal_class,
                     .range = frame.range,
                     .matrix = frame.matrix};
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    // Of almost no bits: the picture shown would be much the one it refers to, an older one, in place
    // of the layer below, which is coarse and new.
    if (layer > 0 && pictures[layer].quantiser >= kMostQuantiser &&
        !pictures[layer].is_sync_point()) {
      open_[layer]->on_lost(number);
      continue;
    }
    header.sync[layer] = pictures[layer].is_sync_point();
    coded.units.push_back(unit_of(std::move(pictures[layer]), static_cast<std::uint8_t>(layer)));
  }
  coded.header = build_frame_header(header);
  return coded;
}

}  // namespace qvid::media
