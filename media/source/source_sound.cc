#include "media/source/source_sound.h"

#include <algorithm>
#include <new>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/mathematics.h>
#include <libswresample/swresample.h>
}

namespace qvid::media {
namespace {

constexpr int kMostDamaged = 100;  // packets, one after the other
constexpr int kHighestSoundRate = 768'000;
constexpr int kMostSourceChannels = 64;
// Sound that waits for a time so far ahead, while later packets are of an earlier one, is of before
// a jump of the file's timestamps.
constexpr Duration kJump = std::chrono::seconds(1);

// Beyond a century a timestamp is broken, and sums with it would overflow.
constexpr Duration kLongestTime = 24h * 36525;

}  // namespace

Result<std::unique_ptr<SourceSound>> SourceSound::open(const AVStream& stream,
                                                       std::shared_ptr<SoundQueue> queue,
                                                       OnSoundStatus status) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const std::string name = avcodec_get_name(parameters.codec_id);
  const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
  if (codec == nullptr) return Error{"FFmpeg has no decoder for sound of the kind " + name};
  AvCodecPtr decoder(avcodec_alloc_context3(codec));
  if (!decoder || avcodec_parameters_to_context(decoder.get(), &parameters) < 0) {
    throw std::bad_alloc();
  }
  decoder->pkt_timebase = stream.time_base;
  decoder->thread_count = 1;
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0) {
    return Error{"its sound, of the kind " + name + ", cannot be decoded"};
  }
  return std::unique_ptr<SourceSound>(
      new SourceSound(stream, std::move(decoder), std::move(queue), std::move(status)));
}

SourceSound::SourceSound(const AVStream& stream, AvCodecPtr decoder,
                         std::shared_ptr<SoundQueue> queue, OnSoundStatus status)
    : stream_(stream),
      decoder_(std::move(decoder)),
      queue_(std::move(queue)),
      status_(std::move(status)) {}

SourceSound::~SourceSound() = default;

std::string SourceSound::description() const {
  return std::string(avcodec_get_name(decoder_->codec_id)) + ", " +
         std::to_string(decoder_->sample_rate) + " Hz";
}

Duration SourceSound::in_time(std::int64_t stamp) const {
  const Duration time(av_rescale_q(stamp, stream_.time_base, {1, 1'000'000'000}));
  return std::clamp(time, -kLongestTime, kLongestTime);
}

void SourceSound::add(AVPacket& packet) {
  const std::int64_t stamp = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const Duration time =
      stamp != AV_NOPTS_VALUE ? in_time(stamp) : read_to_.value_or(Duration::zero());
  if (!read_from_) read_from_ = time;
  read_to_ = time + in_time(std::max<std::int64_t>(0, packet.duration));
  const ByteCount size(packet.size);
  const bool full = waiting_bytes_ + size > kMostWaiting || waiting_.size() >= kMostPackets;
  if (full && !std::exchange(overflowed_, true) && status_) {
    status_(
        {.ok = false, .text = "some of its sound is left out: it is too far from its pictures"});
  }
  if (full || broken_) return av_packet_unref(&packet);
  waiting_.push_back({new_av_packet(), time});
  av_packet_move_ref(waiting_.back().packet.get(), &packet);
  waiting_bytes_ += size;
}

void SourceSound::give(Duration until, Timestamp origin) {
  while (!waiting_.empty()) {
    const Duration time = waiting_.front().time;
    const bool left_behind = time > until + kJump && waiting_.back().time < time;
    if (time >= until && !left_behind) break;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= ByteCount(next.packet->size);
    if (!left_behind) decode(*next.packet);
  }
  give_pieces(until, origin);
}

void SourceSound::give_pieces(Duration until, Timestamp origin) {
  while (!pieces_.empty() && pieces_.front().time < until) {
    Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    auto& samples = piece.samples;
    if (begin_ && piece.time < *begin_) {
      const auto early = std::min(sound_frames(*begin_ - piece.time),
                                  static_cast<std::int64_t>(samples.size() / 2));
      samples.erase(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(2 * early));
      piece.time += sound_time(early);
    }
    if (samples.empty()) continue;
    const std::int64_t wanted = std::max<std::int64_t>(0, sound_frames(until - piece.time));
    const bool whole = 2 * wanted >= static_cast<std::int64_t>(samples.size());
    if (!whole) {
      const auto end = samples.begin() + static_cast<std::ptrdiff_t>(2 * wanted);
      pieces_.push_front({piece.time + sound_time(wanted), {end, samples.end()}});
      samples.erase(end, samples.end());
    }
    if (!samples.empty()) {
      queue_->push({.captured = origin + piece.time, .channels = 2, .samples = std::move(samples)});
    }
    if (!whole) return;
  }
}

void SourceSound::restart() {
  avcodec_flush_buffers(decoder_.get());
  converter_.reset();
  format_ = -1;
  waiting_.clear();
  waiting_bytes_ = {};
  pieces_.clear();
  read_from_.reset();
  read_to_.reset();
  begin_.reset();
  next_.reset();
}

void SourceSound::decode(AVPacket& packet) {
  if (broken_) return;
  if (avcodec_send_packet(decoder_.get(), &packet) < 0) return on_damage();
  for (;;) {
    const int received = avcodec_receive_frame(decoder_.get(), frame_.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return;
    if (received < 0) return on_damage();
    damaged_ = 0;
    convert();
    av_frame_unref(frame_.get());
  }
}

void SourceSound::on_damage() {
  if (++damaged_ < kMostDamaged) return;
  broken_ = true;
  waiting_.clear();
  waiting_bytes_ = {};
  if (status_) {
    status_({.ok = false, .text = "its sound is damaged and ends here; the picture goes on"});
  }
}

// For frame_. False: it is nothing that can be heard.
bool SourceSound::prepare_converter() {
  const int channels = frame_->ch_layout.nb_channels;
  const int rate = frame_->sample_rate;
  if (converter_ && format_ == frame_->format && rate_ == rate && channels_ == channels) {
    return true;
  }
  if (channels < 1 || channels > kMostSourceChannels || rate < 1 || rate > kHighestSoundRate) {
    return false;
  }
  // Where the order of channels is not said it is the usual one of their number.
  AVChannelLayout from{};
  AVChannelLayout to{};
  const bool known = frame_->ch_layout.order != AV_CHANNEL_ORDER_UNSPEC;
  if (!known || av_channel_layout_copy(&from, &frame_->ch_layout) < 0) {
    av_channel_layout_default(&from, channels);
  }
  // FFmpeg would make mono softer on its way to stereo; it is doubled here.
  av_channel_layout_default(&to, std::min(channels, 2));
  SwrContext* made = nullptr;
  const int result =
      swr_alloc_set_opts2(&made, &to, AV_SAMPLE_FMT_FLT, kSoundRate, &from,
                          static_cast<AVSampleFormat>(frame_->format), rate, 0, nullptr);
  converter_.reset(made);
  av_channel_layout_uninit(&from);
  av_channel_layout_uninit(&to);
  if (result < 0 || swr_init(made) < 0) {
    converter_.reset();
    return false;
  }
  format_ = frame_->format;
  rate_ = rate;
  channels_ = channels;
  return true;
}

// frame_ into a piece.
void SourceSound::convert() {
  if (!prepare_converter()) return on_damage();
  const Duration delay(swr_get_delay(converter_.get(), 1'000'000'000));
  const int room = swr_get_out_samples(converter_.get(), frame_->nb_samples);
  if (room <= 0) return;
  const auto channels = static_cast<std::size_t>(std::min(channels_, 2));
  std::vector<float> samples(static_cast<std::size_t>(room) * channels);
  auto* data = reinterpret_cast<std::uint8_t*>(samples.data());
  const int made =
      swr_convert(converter_.get(), &data, room,
                  const_cast<const std::uint8_t**>(frame_->extended_data), frame_->nb_samples);
  if (made < 0) return on_damage();
  samples.resize(static_cast<std::size_t>(made) * channels);
  if (frame_->best_effort_timestamp != AV_NOPTS_VALUE) {
    const Duration stamped = in_time(frame_->best_effort_timestamp) - delay;
    if (!next_ || std::chrono::abs(stamped - *next_) > kMostDrift) next_ = stamped;
  }
  if (!next_ || made == 0) return;
  Piece piece{.time = *next_};
  if (channels == 2) {
    piece.samples = std::move(samples);
  } else {
    for (const float sample : samples) piece.samples.insert(piece.samples.end(), 2, sample);
  }
  next_ = *next_ + sound_time(made);
  pieces_.push_back(std::move(piece));
}

}  // namespace qvid::media
