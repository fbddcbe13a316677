#include "media/codec/h264_encoder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "media/codec/encoder_limits.h"
#include "media/codec/h264_header.h"
#include "media/picture/downscale.h"

namespace qvid::media {
namespace {

// L's part of the whole rate. L has a quarter of the pixels, so a fifth gives both layers about the
// same bits per pixel. Pixels of L are harder, having more detail each: it comes out 0.6 dB
// (texture) to 4 dB (webcam) below H, each at its own size. More for L would be taken from those
// who see H.
constexpr double kLowShare = 0.2;
constexpr double kMostLowShare = 0.5;

std::optional<Error> check(const EncoderOptions& o) {
  if (auto error = check_encoder_options(o)) return error;
  if (o.size.width % 2 == 0 && o.size.height % 2 == 0) return std::nullopt;
  return Error{"cannot encode " + std::to_string(o.size.width) + "x" +
               std::to_string(o.size.height) + ": width and height must be even"};
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

Result<std::unique_ptr<Encoder>> H264Encoder::create(const EncoderOptions& options) {
  if (auto error = check(options)) return *std::move(error);
  return std::unique_ptr<Encoder>(new H264Encoder(options));
}

H264Encoder::H264Encoder(const EncoderOptions& options)
    : options_(options),
      total_(options.bitrate),
      base_(options.bitrate * kLowShare),
      choice_(options.rate, options.layers) {}

void H264Encoder::request_sync_point(std::uint8_t layer) {
  if (layer < kH264Layers) sync_requested_[layer] = true;
}

void H264Encoder::on_lost(FrameNumber frame, std::uint8_t layer) {
  if (layer < kH264Layers && open_[layer]) open_[layer]->on_lost(frame);
}

void H264Encoder::set_droppable_frames(bool on) {
  droppable_ = on;
  for (const auto& layer : open_) {
    if (layer) layer->set_droppable_frames(on);
  }
}

void H264Encoder::set_rates(DataRate total, DataRate base) {
  total_ = std::clamp(total, kLeastBitrate, kMostBitrate);
  base_ = std::min(std::max(base, kLeastBitrate), total_ * kMostLowShare);
  for (std::size_t layer = 0; layer < kH264Layers; ++layer) {
    if (!open_[layer] || std::exchange(told_[layer], rate_of(layer)) == rate_of(layer)) continue;
    open_[layer]->set_bitrate(told_[layer]);
  }
}

DataRate H264Encoder::rate_of(std::size_t layer) const {
  if (layers() == 1) return total_;
  return layer == 0 ? base_ : DataRate::from_bps(total_.bps() - base_.bps());
}

PictureSize H264Encoder::size_of(std::size_t layer) const {
  const bool whole = layer > 0 || structure_ == LayerStructure::kWhole;
  return whole ? options_.size : half_size(options_.size);
}

std::optional<Error> H264Encoder::open_for(const VideoFrame& frame) {
  const bool same = structure_ == choice_.structure();
  if (open_[0] && same && range_ == frame.range && matrix_ == frame.matrix) return std::nullopt;
  structure_ = choice_.structure();
  X264LayerOptions options;
  options.rate = options_.rate;
  options.threads = options_.threads;
  options.buffer_frames = options_.buffer_frames;
  options.alone = layers() == 1;  // two are made where the rate is ample, one after the other
  options.range = range_ = frame.range;
  options.matrix = matrix_ = frame.matrix;
  open_ = {};
  std::array<std::unique_ptr<X264Layer>, kH264Layers> opened;
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    options.size = even_size(size_of(layer));
    options.bitrate = told_[layer] = rate_of(layer);
    auto stream = X264Layer::open(options);
    if (!stream) return stream.error();
    opened[layer] = *std::move(stream);
    opened[layer]->set_droppable_frames(droppable_);
  }
  open_ = std::move(opened);
  return std::nullopt;
}

Result<CodedFrame> H264Encoder::encode(const VideoFrame& frame, FrameNumber number) {
  if (frame.size != options_.size) return Error{"a frame of another size than the encoder's"};
  if (last_ && number != last_->next()) {
    return Error{"frame " + std::to_string(number.value()) + " does not follow frame " +
                 std::to_string(last_->value())};
  }
  if (auto error = open_for(frame)) return *std::move(error);
  auto coded = encode_layers(frame, number);
  if (!coded) {
    // One stream may be a frame ahead of the other now: start both again.
    open_ = {};
  }
  last_ = number;
  return coded;
}

Result<CodedFrame> H264Encoder::encode_layers(const VideoFrame& frame, FrameNumber number) {
  std::array<LayerPicture, kH264Layers> pictures;
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    const bool with_low = layer > 0 && pictures[0].is_sync_point();
    // This one rule staggers the layers, and staggers them again whenever cuts have brought them
    // together.
    const bool staggered = with_low && !options_.aligned_gops;
    const int gop = staggered ? std::max(1, options_.gop / 2) : options_.gop;
    const bool joins = with_low && options_.aligned_gops;
    const bool sync = std::exchange(sync_requested_[layer], false) || joins;
    const bool half = size_of(layer) != options_.size;
    auto picture = open_[layer]->encode(half ? downscale_half(frame) : frame, number, sync, gop);
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
  H264Header header;
  header.nominal = options_.size;
  header.low = size_of(0);
  header.temporal_class = coded.temporal_class;
  header.range = frame.range;
  header.matrix = frame.matrix;
  for (std::size_t layer = 0; layer < layers(); ++layer) {
    // Of almost no bits: the picture shown would be much the one it refers to, an older one, in place
    // of L's, which is coarse and new.
    if (layer > 0 && pictures[layer].quantiser >= X264Layer::kMostQuantiser &&
        !pictures[layer].is_sync_point()) {
      open_[layer]->on_lost(number);
      continue;
    }
    header.sync[layer] = pictures[layer].is_sync_point();
    coded.units.push_back(unit_of(std::move(pictures[layer]), static_cast<std::uint8_t>(layer)));
  }
  coded.header = build_h264_header(header);
  return coded;
}

}  // namespace qvid::media
