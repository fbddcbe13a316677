#include "media/h264_encoder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "media/downscale.h"
#include "media/h264_header.h"

namespace qvid::media {
namespace {

constexpr DataRate kMinBitrate = DataRate::from_kbps(10);
constexpr DataRate kMaxBitrate = DataRate::from_kbps(200'000);
constexpr double kMaxFrameRate = 240;
constexpr int kMaxGop = 600;
constexpr int kMaxThreads = 16;

// L's part of the whole rate. L has a quarter of the pixels, so a fifth gives both layers about the
// same bits per pixel. Pixels of L are harder, having more detail each: it comes out 0.6 dB
// (texture) to 4 dB (webcam) below H, each at its own size. More for L would be taken from those
// who see H.
constexpr double kLowShare = 0.2;

DataRate low_rate(DataRate whole) {
  return DataRate::from_bps(
      static_cast<std::int64_t>(static_cast<double>(whole.bps()) * kLowShare));
}
DataRate high_rate(DataRate whole) {
  return DataRate::from_bps(whole.bps() - low_rate(whole).bps());
}

std::optional<Error> check(const EncoderOptions& o) {
  const std::string size = std::to_string(o.size.width) + "x" + std::to_string(o.size.height);
  if (!is_supported(o.size)) {
    return Error{"cannot encode " + size + ": each side must be " + std::to_string(kMinSide) +
                 " to " + std::to_string(kMaxSide) + " pixels"};
  }
  if (o.size.width % 2 != 0 || o.size.height % 2 != 0) {
    return Error{"cannot encode " + size + ": width and height must be even"};
  }
  if (o.rate.numerator <= 0 || o.rate.denominator <= 0 || o.rate.per_second() > kMaxFrameRate) {
    return Error{"cannot encode " + std::to_string(o.rate.numerator) + "/" +
                 std::to_string(o.rate.denominator) +
                 " frames per second: more than 0, at most 240"};
  }
  if (o.bitrate < kMinBitrate || o.bitrate > kMaxBitrate) {
    return Error{"cannot encode at " + std::to_string(o.bitrate.bps()) +
                 " bit/s: 10 kbit/s to 200 Mbit/s"};
  }
  if (o.gop < 1 || o.gop > kMaxGop) {
    return Error{"a group of pictures of " + std::to_string(o.gop) + " frames: 1 to 600"};
  }
  if (o.threads < 1 || o.threads > kMaxThreads) {
    return Error{"an encoder with " + std::to_string(o.threads) + " threads: 1 to 16"};
  }
  return std::nullopt;
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

void H264Encoder::set_bitrate(DataRate bitrate) {
  options_.bitrate = std::clamp(bitrate, kMinBitrate, kMaxBitrate);
  if (low_) low_->set_bitrate(low_rate(options_.bitrate));
  if (high_) high_->set_bitrate(high_rate(options_.bitrate));
}

std::optional<Error> H264Encoder::open_for(const VideoFrame& frame) {
  if (low_ && high_ && range_ == frame.range && matrix_ == frame.matrix) return std::nullopt;
  X264LayerOptions layer;
  layer.rate = options_.rate;
  layer.gop = options_.gop;
  layer.threads = options_.threads;
  layer.range = range_ = frame.range;
  layer.matrix = matrix_ = frame.matrix;

  layer.size = even_size(half_size(options_.size));
  layer.bitrate = low_rate(options_.bitrate);
  auto low = X264Layer::open(layer);
  if (!low) return low.error();
  layer.size = options_.size;
  layer.bitrate = high_rate(options_.bitrate);
  auto high = X264Layer::open(layer);
  if (!high) return high.error();
  low_ = *std::move(low);
  high_ = *std::move(high);
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
    low_.reset();
    high_.reset();
  }
  last_ = number;
  return coded;
}

Result<CodedFrame> H264Encoder::encode_layers(const VideoFrame& frame, FrameNumber number) {
  const bool sync = std::exchange(sync_requested_, false);
  auto low = low_->encode(downscale_half(frame), sync, options_.gop);
  if (!low) return low.error();
  // This one rule staggers the layers, and staggers them again whenever cuts have brought them
  // together.
  const int high_gop = low->is_sync_point() ? std::max(1, options_.gop / 2) : options_.gop;
  auto high = high_->encode(frame, sync, high_gop);
  if (!high) return high.error();

  CodedFrame coded;
  coded.number = number;
  coded.captured = frame.captured;
  coded.temporal_class = low->temporal_class;
  H264Header header;
  header.nominal = options_.size;
  header.low = half_size(options_.size);
  header.temporal_class = low->temporal_class;
  header.range = frame.range;
  header.matrix = frame.matrix;
  header.sync = {low->is_sync_point(), high->is_sync_point()};
  coded.header = build_h264_header(header);
  coded.units.push_back(unit_of(*std::move(low), 0));
  coded.units.push_back(unit_of(*std::move(high), 1));
  return coded;
}

}  // namespace qvid::media
