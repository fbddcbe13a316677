#include "media/source/packet_reader.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "media/source/wait_until.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/error.h>
#include <libavutil/mathematics.h>
}

namespace qvid::media {
namespace {

// A device or stream that gives nothing for so long is lost.
constexpr Duration kReadTimeout = 5s;
// How often a device that had nothing is asked again: a tenth of a frame time.
constexpr Duration kPollInterval = 3ms;
constexpr int kMostBadReads = 100;  // one after the other
// Bounds how long a camera is drained for its newest picture; drivers have 4 to 32 buffers.
constexpr int kMostBacklog = 64;
constexpr int kSoundGoesOn = 20;  // packets: half a second or so
// Beyond a century a timestamp is broken, and sums with it would overflow.
constexpr Duration kLongestPacketTime = 24h * 36525;

bool of_device(const SourceSpec& spec) { return spec.kind != SourceSpec::Kind::kFile; }

}  // namespace

Error lost_error(const SourceSpec& spec, const std::string& why) {
  return {source_name(spec) + " is lost: " + why};
}

Result<PacketReader::Step> PacketReader::next(AVPacket& packet) {
  while (waiting_.empty()) {
    if (over_) return *over_;
    auto step = read();
    if (step && *step == Step::kStopped) return step;
  }
  av_packet_move_ref(&packet, waiting_.front().get());
  waiting_.pop_front();
  waiting_bytes_ -= ByteCount(packet.size);
  return Step::kPacket;
}

void PacketReader::read_ahead(Duration picture, Duration until, const SourceSound& sound) {
  const Duration most = is_local_file(spec_) ? kMostAhead : kMostHeldUp;
  const auto is_there = [&] {
    if (is_local_file(spec_) && (!latest_ || *latest_ < until)) return false;
    return sound.read_to() && *sound.read_to() >= until;
  };
  while (!over_ && !sound.is_broken() && !is_there()) {
    const bool far = read_to_ && *read_to_ - picture > most;
    const bool full = far || waiting_.size() >= kMostPackets || waiting_bytes_ >= kMostWaiting;
    if (full && !is_local_file(spec_) && !std::exchange(sound_stopped_, true)) sound_packets_ = 0;
    if (full || sound_stopped_) return;
    auto step = read();
    if (!step || *step != Step::kPacket) return;
  }
}

void PacketReader::restart() {
  waiting_.clear();
  waiting_bytes_ = {};
  read_to_.reset();
  latest_.reset();
  over_.reset();
  bad_reads_ = 0;
}

// Reads a packet, of the picture into waiting_ or of the sound.
Result<PacketReader::Step> PacketReader::read() {
  auto step = read_one();
  if (!step || *step == Step::kEnd) over_ = step;
  if (!step || *step != Step::kPacket) return step;
  bad_reads_ = 0;
  if (packet_->stream_index != in_.stream) {
    if (++sound_packets_ >= kSoundGoesOn) sound_stopped_ = false;
    sound_->add(*packet_);
    return step;
  }
  skip_backlog();
  if (packet_->dts != AV_NOPTS_VALUE) read_to_ = in_time(packet_->dts);
  const std::int64_t shown = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
  if (shown != AV_NOPTS_VALUE) latest_ = std::max(in_time(shown), latest_.value_or(in_time(shown)));
  waiting_bytes_ += ByteCount(packet_->size);
  waiting_.push_back(std::exchange(packet_, new_av_packet()));
  return step;
}

// Reads a packet of the picture or the sound into packet_.
Result<PacketReader::Step> PacketReader::read_one() {
  const Timestamp asked = steady_now();
  guard_.deadline = is_local_file(spec_) ? kNever : asked + kReadTimeout;
  for (;;) {
    const int result = av_read_frame(in_.input.get(), packet_.get());
    if (guard_.stop.stop_requested()) {
      av_packet_unref(packet_.get());
      return Step::kStopped;
    }
    if (result == 0) {
      if (packet_->stream_index == in_.stream) return Step::kPacket;
      if (sound_ != nullptr && packet_->stream_index == in_.sound) return Step::kPacket;
      av_packet_unref(packet_.get());
    } else if (result == AVERROR(EAGAIN)) {
      if (!wait_until(steady_now() + kPollInterval, guard_.stop)) return Step::kStopped;
    } else if (result == AVERROR_EOF && !of_device(spec_)) {
      return Step::kEnd;
    } else if (is_local_file(spec_)) {
      // Damage, or the end of a file that was cut off.
      const AVIOContext* bytes = in_.input->pb;
      if (bytes == nullptr || bytes->eof_reached != 0) return Step::kEnd;
      if (result != AVERROR_INVALIDDATA || ++bad_reads_ >= kMostBadReads) {
        return lost_error(spec_, "it cannot be read any further (" + ffmpeg_words(result) +
                                     "); check it with another player");
      }
    } else if (!guard_.expired()) {
      // X11 errors come as numbers that say nothing.
      const std::string why = spec_.area.window != 0
                                  ? "the window was closed or hidden, or has changed its size"
                              : spec_.kind == SourceSpec::Kind::kScreen
                                  ? "the display was closed or has changed its size"
                                  : ffmpeg_words(result);
      return lost_error(spec_, why + "; check that it is still there, then open it again");
    }
    if (guard_.expired()) {
      return lost_error(
          spec_, "it has given nothing for 5 s; check that it is still there, then open it again");
    }
  }
}

// A camera whose reader was late has older pictures waiting: only the newest is of use. Every one
// of its pictures stands alone.
void PacketReader::skip_backlog() {
  const auto codec = in_.decoder->codec_id;
  if (spec_.kind != SourceSpec::Kind::kCamera ||
      (codec != AV_CODEC_ID_RAWVIDEO && codec != AV_CODEC_ID_MJPEG)) {
    return;
  }
  AvPacketPtr newer = new_av_packet();
  for (int i = 0; i < kMostBacklog && av_read_frame(in_.input.get(), newer.get()) == 0; ++i) {
    av_packet_unref(packet_.get());
    av_packet_move_ref(packet_.get(), newer.get());
  }
}

Duration PacketReader::in_time(std::int64_t stamp) const {
  const AVRational unit = in_.input->streams[in_.stream]->time_base;
  const Duration time(av_rescale_q(stamp, unit, {1, 1'000'000'000}));
  return std::clamp(time, -kLongestPacketTime, kLongestPacketTime);
}

}  // namespace qvid::media
