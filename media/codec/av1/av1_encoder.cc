#include "media/codec/av1/av1_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "media/codec/av1/av1_header.h"
#include "media/codec/av1/drawn_content.h"
#include "media/codec/encoder_limits.h"

namespace qvid::media {

Result<std::unique_ptr<Encoder>> Av1Encoder::create(const EncoderOptions& options) {
  if (auto error = check_encoder_options(options)) return *std::move(error);
  return std::unique_ptr<Encoder>(new Av1Encoder(options));
}

Av1Encoder::Av1Encoder(const EncoderOptions& options) : options_(options), rate_(options.bitrate) {}

void Av1Encoder::request_sync_point(std::uint8_t layer) {
  if (layer == 0) sync_requested_ = true;
}

void Av1Encoder::on_lost(FrameNumber frame, std::uint8_t layer) {
  if (layer == 0) plan_.on_lost(frame);
}

void Av1Encoder::set_rates(DataRate total, DataRate) {
  rate_ = std::clamp(total, kLeastBitrate, kMostBitrate);
}

// A rate that libaom refuses, which none within the limits is, leaves the one before.
void Av1Encoder::tell_rate() {
  const double part = debt_.part();
  if (told_rate_ == rate_ && std::abs(part - told_part_) <= kNotableChange) return;
  if (!stream_->set_bitrate(rate_ * part)) return;
  told_rate_ = rate_;
  told_part_ = part;
}

void Av1Encoder::set_gop(int frames) { options_.gop = std::clamp(frames, 1, kMaxGop); }

std::optional<Error> Av1Encoder::open_for(const VideoFrame& frame) {
  if (stream_ && range_ == frame.range && matrix_ == frame.matrix) return std::nullopt;
  EncoderOptions options = options_;
  options.bitrate = rate_;
  auto stream = Av1Stream::open(options, frame.range, frame.matrix);
  if (!stream) return stream.error();
  stream_ = *std::move(stream);
  told_rate_ = rate_;
  told_part_ = 1;
  range_ = frame.range;
  matrix_ = frame.matrix;
  gop_ = 0;
  return std::nullopt;
}

Result<CodedFrame> Av1Encoder::encode(const VideoFrame& frame, FrameNumber number) {
  if (frame.size != options_.size) return Error{"a frame of another size than the encoder's"};
  if (last_ && number != last_->next()) {
    return Error{"frame " + std::to_string(number.value()) + " does not follow frame " +
                 std::to_string(last_->value())};
  }
  if (auto error = open_for(frame)) return *std::move(error);
  auto coded = encode_next(frame, number);
  if (!coded) stream_.reset();
  last_ = number;
  return coded;
}

Result<CodedFrame> Av1Encoder::encode_next(const VideoFrame& frame, FrameNumber number) {
  const bool sync = std::exchange(sync_requested_, false) || plan_.length() >= gop_;
  const Av1PlannedFrame planned = sync ? Av1PlannedFrame() : plan_.next();
  if (planned.is_sync_point()) gop_ = options_.gop;
  if (planned.is_sync_point()) {
    stream_->set_drawn(false);
  } else if (plan_.length() % kContentEvery == 1) {
    stream_->set_drawn(is_drawn(frame));
  }
  tell_rate();
  auto coded_unit = stream_->encode(frame, planned);
  if (!coded_unit) return coded_unit.error();
  debt_.on_coded(coded_unit->data.byte_count(), rate_, options_.rate);
  plan_.on_coded(number, planned, coded_unit->kept_in);

  CodedUnit unit;
  if (planned.reference) unit.depends_on.push_back({planned.reference->frames_back, 0});
  unit.needed_for = gop_ - plan_.length();
  unit.data = std::move(coded_unit->data);
  CodedFrame coded;
  coded.number = number;
  coded.captured = frame.captured;
  coded.header = build_av1_header(
      {.size = options_.size, .range = range_, .matrix = matrix_, .sync = planned.is_sync_point()});
  coded.units.push_back(std::move(unit));
  return coded;
}

}  // namespace qvid::media
