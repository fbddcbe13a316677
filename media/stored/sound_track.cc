#include "media/stored/sound_track.h"

#include <algorithm>
#include <array>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/mathematics.h>
}

namespace qvid::media {
namespace {

constexpr DataRate kStoredSoundRate = DataRate::from_kbps(64);
// Sound lies up to a second or so before or behind its pictures, and a seek leads to a picture;
// formats without an index may come out behind a place. How much earlier is tried.
constexpr std::array kSoundEarlier = {Duration(1s), Duration(5s), Duration(20s)};
constexpr Duration kBeforeAllSound = 10s;
// What a decoder needs of before a place: two frames of those that overlap, more of those that
// borrow bits from the frames before.
constexpr Duration kWarmUp = 200ms;
constexpr Duration kSameSound = 10ms;  // packets that miss each other by less follow each other
constexpr int kMostBadSoundReads = 100;
// More than an encoder holds back, and a packet.
constexpr std::int64_t kEmptying = 1440;
constexpr AVRational kSoundNanoseconds = {1, 1'000'000'000};
// Beyond a century a timestamp is broken, and sums with it would overflow.
constexpr Duration kSoundCentury = 24h * 36525;

SourceOptions with_sound(const std::shared_ptr<SoundQueue>& queue) {
  SourceOptions options;
  options.sound = queue;
  return options;
}

}  // namespace

Result<std::unique_ptr<SoundTrack>> SoundTrack::open(const std::string& path, Duration origin,
                                                     const std::stop_token& stop) {
  std::unique_ptr<SoundTrack> track(new SoundTrack(path, origin));
  bool none = false;
  if (auto error = track->open_input(stop, none)) return *std::move(error);
  if (none) return std::unique_ptr<SoundTrack>();
  auto encoder = SoundEncoder::make({.channels = 2,
                                     .coding = {.rate = kStoredSoundRate, .packet = 20ms},
                                     .voice = false,
                                     .discontinuous = false});
  if (!encoder) return encoder.error();
  track->encoder_ = *std::move(encoder);
  if (auto error = track->open_sound()) return *std::move(error);
  track->sound_->begin(origin);
  return track;
}

std::optional<Error> SoundTrack::open_input(const std::stop_token& stop, bool& none) {
  queue_ = std::make_shared<SoundQueue>();
  guard_->stop = stop;
  auto in = open_decoded_input({SourceSpec::Kind::kFile, path_}, with_sound(queue_), *guard_);
  // As in video_file.cc: from here on a stop is looked at between packets.
  guard_->stop = {};
  if (!in) return in.error();
  sound_.reset();
  in_ = *std::move(in);
  in_.decoder.reset();
  none = in_.sound < 0;
  in_.input->streams[in_.stream]->discard = AVDISCARD_ALL;
  return std::nullopt;
}

std::optional<Error> SoundTrack::open_sound() {
  queue_ = std::make_shared<SoundQueue>();  // one gives no instant twice
  auto sound = SourceSound::open(*in_.input->streams[in_.sound], queue_, {});
  if (!sound) return sound.error();
  sound_ = *std::move(sound);
  at_end_ = false;
  ended_ = false;
  return std::nullopt;
}

bool SoundTrack::next_packet(const std::stop_token& stop) {
  int bad = 0;
  while (!at_end_ && !stop.stop_requested()) {
    const int result = av_read_frame(in_.input.get(), packet_.get());
    if (result == 0 && packet_->stream_index == in_.sound) return true;
    av_packet_unref(packet_.get());
    if (result == 0) continue;
    const AVIOContext* bytes = in_.input->pb;
    const bool over = result == AVERROR_EOF || bytes == nullptr || bytes->eof_reached != 0;
    at_end_ = over || result != AVERROR_INVALIDDATA || ++bad >= kMostBadSoundReads;
  }
  return false;
}

Duration SoundTrack::time_of_packet() const {
  const std::int64_t stamp = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
  if (stamp == AV_NOPTS_VALUE) return sound_->read_to().value_or(origin_);
  const AVRational unit = in_.input->streams[in_.sound]->time_base;
  return std::clamp(Duration(av_rescale_q(stamp, unit, kSoundNanoseconds)), -kSoundCentury,
                    kSoundCentury);
}

void SoundTrack::read(Duration until, const std::stop_token& stop,
                      std::vector<SoundPacket>& packets) {
  const Duration end = origin_ + until;
  while (sound_ && !sound_->is_broken() && (!sound_->read_to() || *sound_->read_to() < end) &&
         next_packet(stop)) {
    sound_->add(*packet_);
  }
  if (!sound_ || stop.stop_requested()) return;
  sound_->give(end, Timestamp(-origin_));
  SoundBlock block;
  while (queue_->read(Timestamp(until), block)) encode(block, packets);
  const bool all = at_end_ && (!sound_->read_to() || *sound_->read_to() <= end);
  if (all || sound_->is_broken()) this->end(packets);
}

void SoundTrack::encode(const SoundBlock& block, std::vector<SoundPacket>& packets) {
  made_.clear();
  encoder_->encode(block, made_);
  encoded_ = block.captured + sound_time(static_cast<std::int64_t>(block.frames()));
  for (SoundPacket& packet : made_) {
    // What begins before the first picture: the encoder's own delay.
    if (packet.captured < Timestamp{}) continue;
    if (kept_) {
      const Timestamp follows = kept_->captured + kept_->duration;
      kept_->last = packet.captured > follows + kSameSound;
      packets.push_back(*std::exchange(kept_, std::nullopt));
    }
    kept_ = std::move(packet);
  }
}

void SoundTrack::end(std::vector<SoundPacket>& packets) {
  if (std::exchange(ended_, true)) return;
  if (encoded_ != Timestamp{}) {
    SoundBlock silence{.captured = encoded_, .channels = 2, .samples = {}};
    silence.samples.resize(kEmptying * 2);
    encode(silence, packets);
  }
  finish(packets);
}

void SoundTrack::finish(std::vector<SoundPacket>& packets) {
  if (!kept_) return;
  kept_->last = true;
  packets.push_back(*std::exchange(kept_, std::nullopt));
}

void SoundTrack::seek(Duration to, const std::stop_token& stop) {
  kept_.reset();
  encoded_ = {};
  to = std::max(to, Duration::zero());
  Found found = Found::kCannot;
  for (const Duration earlier : kSoundEarlier) {
    const Duration from = to > earlier ? to - earlier : -kBeforeAllSound;
    found = go(from, to, stop);
    if (found != Found::kBehind || from < Duration::zero() || stop.stop_requested()) break;
  }
  // What is behind the place all the same comes after a silence.
  if (found != Found::kCannot || stop.stop_requested()) return;
  // Where a format cannot find a place, the file is read up to it.
  bool none = false;
  if (open_input(stop, none) || none || open_sound()) return sound_.reset();
  sound_->begin(origin_ + to);
  skip_to(to, stop);
}

SoundTrack::Found SoundTrack::go(Duration earliest, Duration to, const std::stop_token& stop) {
  if (in_.sound < 0) return Found::kCannot;
  const AVRational unit = in_.input->streams[in_.stream]->time_base;
  const std::int64_t stamp = av_rescale_q((origin_ + earliest).count(), kSoundNanoseconds, unit);
  if (av_seek_frame(in_.input.get(), in_.stream, stamp, AVSEEK_FLAG_BACKWARD) < 0 || open_sound()) {
    return Found::kCannot;
  }
  sound_->begin(origin_ + to);
  if (!next_packet(stop)) return Found::kThere;  // there is none from there on
  const bool behind = time_of_packet() > origin_ + to;
  skip_to(to, stop);
  return behind ? Found::kBehind : Found::kThere;
}

// From the packet at hand, or the next, to the first that is needed.
void SoundTrack::skip_to(Duration to, const std::stop_token& stop) {
  if (packet_->size == 0 && !next_packet(stop)) return;
  while (time_of_packet() < origin_ + to - kWarmUp) {
    av_packet_unref(packet_.get());
    if (!next_packet(stop)) return;
  }
  sound_->add(*packet_);
}

}  // namespace qvid::media
