#include "media/stored/video_file.h"

#include <array>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/error.h>
#include <libavutil/mathematics.h>
}

namespace qvid::media {
namespace {

constexpr int kMostBadPackets = 100;  // one after the other
// Formats without an index find a place by its timestamps and may come out behind it: how much
// earlier is tried, one after the other, before the whole file is read up to there.
constexpr std::array kEarlier = {0ns, Duration(2s), Duration(10s)};
// The first picture is decoded before it is shown: where it begins is before its timestamp.
constexpr Duration kBeforeAll = 10s;
constexpr AVRational kNanoseconds = {1, 1'000'000'000};

Duration positive(std::int64_t count, AVRational unit) {
  if (count == AV_NOPTS_VALUE || count <= 0) return {};
  const std::int64_t time = av_rescale_q(count, unit, kNanoseconds);
  return time > 0 ? Duration(time) : Duration{};
}

}  // namespace

VideoFile::VideoFile(std::string path, std::unique_ptr<InputGuard> guard, DecodedInput in,
                     PictureSize size)
    : path_(std::move(path)),
      guard_(std::move(guard)),
      in_(std::move(in)),
      converter_(size, true),
      size_(size),
      timeline_(in_.rate, kLongestGap) {}

Result<std::unique_ptr<VideoFile>> VideoFile::open(const std::string& path, PictureSize size,
                                                   std::stop_token stop, Duration timeout) {
  auto guard = std::make_unique<InputGuard>();
  guard->stop = std::move(stop);
  auto in = open_decoded_input({SourceSpec::Kind::kFile, path}, {}, *guard, timeout);
  if (!in) return in.error();
  // Interrupted in the middle of a read, FFmpeg's input is of no more use. Local reads are short:
  // from here on a stop is looked at between packets.
  guard->stop = {};
  size = size == PictureSize{} ? own_size(in->square_size)
                               : PictureSize{size.width & ~1, size.height & ~1};
  if (!is_supported(size)) {
    return Error{"file " + path + " cannot be shown at " + size_text(size) +
                 "; each side must be " + std::to_string(kMinSide) + " to " +
                 std::to_string(kMaxSide) + " pixels"};
  }
  return std::unique_ptr<VideoFile>(new VideoFile(path, std::move(guard), *std::move(in), size));
}

Duration VideoFile::duration() const {
  const AVStream& stream = *in_.input->streams[in_.stream];
  const Duration own = positive(stream.duration, stream.time_base);
  return own > Duration::zero() ? own : positive(in_.input->duration, AV_TIME_BASE_Q);
}

Result<std::optional<VideoFile::Picture>> VideoFile::next(const std::stop_token& stop) {
  auto got = decode(stop);
  if (!got || !*got) return got;
  Picture& picture = **got;
  const auto stamp = time_of(picture.decoded->best_effort_timestamp);
  if (!origin_) origin_ = stamp.value_or(Duration::zero());
  picture.position = base_ + timeline_.place(stamp);
  return got;
}

Result<std::optional<VideoFile::Picture>> VideoFile::decode(const std::stop_token& stop) {
  Picture picture{new_av_frame(), {}};
  for (;;) {
    if (stop.stop_requested()) return {std::nullopt};
    const int received = avcodec_receive_frame(in_.decoder.get(), picture.decoded.get());
    if (received == 0) {
      bad_packets_ = 0;
      return {std::move(picture)};
    }
    if (received == AVERROR_EOF) return {std::nullopt};
    if (received != AVERROR(EAGAIN) && ++bad_packets_ >= kMostBadPackets) return damaged();
    if (draining_) {
      // Some decoders do not know their end.
      if (received == AVERROR(EAGAIN)) return {std::nullopt};
      continue;
    }
    const auto packet = next_packet(stop);
    if (!packet) return packet.error();
    if (stop.stop_requested()) {
      // What has been read is decoded, or it would be missing when reading goes on.
      if (!*packet) return {std::nullopt};
    }
    draining_ = !*packet;
    const int sent = avcodec_send_packet(in_.decoder.get(), draining_ ? nullptr : packet_.get());
    av_packet_unref(packet_.get());
    if (sent < 0 && !draining_ && ++bad_packets_ >= kMostBadPackets) return damaged();
  }
}

Result<bool> VideoFile::next_packet(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const int result = av_read_frame(in_.input.get(), packet_.get());
    if (result == 0) {
      const bool ours = packet_->stream_index == in_.stream;
      if (ours && (packet_->flags & AV_PKT_FLAG_KEY) != 0) key_wanted_ = false;
      if (!ours || key_wanted_) {
        av_packet_unref(packet_.get());
        continue;
      }
      // On the way to a place nothing is decoded that no other picture needs: with B frames that is
      // half of them or more. Two frames short of it, as what is shown there may be earlier.
      const auto time = time_of(packet_->pts);
      const bool passed_over =
          time && origin_ && *time - *origin_ < wanted_ - 2 * in_.rate.frame_time();
      in_.decoder->skip_frame = passed_over ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
      return true;
    }
    // Damage, or the end of a file that was cut off.
    const AVIOContext* bytes = in_.input->pb;
    if (result == AVERROR_EOF || bytes == nullptr || bytes->eof_reached != 0) return false;
    if (result != AVERROR_INVALIDDATA || ++bad_packets_ >= kMostBadPackets) {
      return Error{"file " + path_ + " cannot be read any further (" + ffmpeg_words(result) +
                   "); check it with another player"};
    }
  }
  return false;
}

Result<std::optional<VideoFile::Picture>> VideoFile::seek(Duration to,
                                                          const std::stop_token& stop) {
  if (!origin_) {
    // The first picture tells what positions are counted from.
    auto first = next(stop);
    if (!first || !*first) return first;
  }
  wanted_ = to;
  for (const Duration earlier : kEarlier) {
    if (to <= earlier) break;
    auto got = first_after(to - earlier, stop);
    if (!got || stop.stop_requested()) return got;
    if (*got && (*got)->position <= to) return got;
  }
  return from_start(stop);
}

// The first picture after going to the key frame at or before `to`; empty too where the file has
// no timestamps to tell where that is.
Result<std::optional<VideoFile::Picture>> VideoFile::first_after(Duration to,
                                                                 const std::stop_token& stop) {
  const AVRational unit = in_.input->streams[in_.stream]->time_base;
  const std::int64_t stamp = av_rescale_q((*origin_ + to).count(), kNanoseconds, unit);
  if (av_seek_frame(in_.input.get(), in_.stream, stamp, AVSEEK_FLAG_BACKWARD) < 0) {
    return {std::nullopt};
  }
  begin_again();
  key_wanted_ = true;
  auto got = decode(stop);
  if (!got || !*got) return got;
  const auto time = time_of((*got)->decoded->best_effort_timestamp);
  if (!time || *time < *origin_) return {std::nullopt};
  base_ = *time - *origin_;
  (*got)->position = base_ + timeline_.place(time);
  return got;
}

Result<std::optional<VideoFile::Picture>> VideoFile::from_start(const std::stop_token& stop) {
  const AVRational unit = in_.input->streams[in_.stream]->time_base;
  const std::int64_t before = av_rescale_q((*origin_ - kBeforeAll).count(), kNanoseconds, unit);
  if (av_seek_frame(in_.input.get(), in_.stream, before, AVSEEK_FLAG_BACKWARD) >= 0) {
    begin_again();
    auto got = next(stop);
    if (!got || stop.stop_requested()) return got;
    if (*got && time_of((*got)->decoded->best_effort_timestamp) == origin_) return got;
  }
  // Where a format cannot find its start, opening again does it.
  guard_->stop = stop;
  auto in = open_decoded_input({SourceSpec::Kind::kFile, path_}, {}, *guard_);
  guard_->stop = {};
  if (!in) return in.error();
  in_ = *std::move(in);
  begin_again();
  return next(stop);
}

void VideoFile::begin_again() {
  avcodec_flush_buffers(in_.decoder.get());
  timeline_ = FrameTimeline(in_.rate, kLongestGap);
  base_ = {};
  draining_ = false;
  key_wanted_ = false;
  bad_packets_ = 0;
}

Result<VideoFrame> VideoFile::convert(Picture& picture) {
  AVFrame& decoded = *picture.decoded;
  decoded.sample_aspect_ratio =
      av_guess_sample_aspect_ratio(in_.input.get(), in_.input->streams[in_.stream], &decoded);
  return converter_.convert(decoded);
}

std::optional<Duration> VideoFile::time_of(std::int64_t stamp) const {
  if (stamp == AV_NOPTS_VALUE) return std::nullopt;
  const std::int64_t time =
      av_rescale_q(stamp, in_.input->streams[in_.stream]->time_base, kNanoseconds);
  // Beyond a century a timestamp is broken, and sums with it would overflow.
  constexpr Duration kCentury = 24h * 36525;
  if (Duration(time) > kCentury || Duration(time) < -kCentury) return std::nullopt;
  return Duration(time);
}

Error VideoFile::damaged() const {
  return {"file " + path_ + " is damaged; check it with another player"};
}

}  // namespace qvid::media
