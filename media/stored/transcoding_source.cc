#include "media/stored/transcoding_source.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

extern "C" {
#include <libavutil/rational.h>
}

namespace qvid::media {
namespace {

constexpr double kStoredBuffer = 6;  // frames, of the rate control: what comes is far ahead

constexpr double kHighestRegulated = 60;
// How much before its end a file is entered where more was asked for.
constexpr Duration kLastPart = 1s;
// Keeps arithmetic far from overflow.
constexpr Duration kLongestPosition = 24h * 365;
constexpr int kLongestGop = 600;

int frames_in(Duration gop, FrameRate rate) {
  const double frames = std::floor(to_seconds(gop) * rate.per_second() + 1e-6);
  return static_cast<int>(std::clamp(frames, 1.0, static_cast<double>(kLongestGop)));
}

}  // namespace

FrameRate regulated_rate(FrameRate nominal) {
  const double per_second = nominal.per_second();
  // A hair above is what rounding in a file makes of the rate itself.
  const int parts = std::max(1, static_cast<int>(std::ceil(per_second / kHighestRegulated - 0.01)));
  FrameRate rate;
  av_reduce(&rate.numerator, &rate.denominator, nominal.numerator,
            std::int64_t{nominal.denominator} * parts, FrameRate::kMaxNumerator);
  if (rate.denominator <= FrameRate::kMaxDenominator && rate.numerator > 0) return rate;
  // Measured rates are any fraction; broadcast ones are over 1001.
  av_reduce(&rate.numerator, &rate.denominator, std::lround(per_second / parts * 1001), 1001,
            FrameRate::kMaxNumerator);
  return rate;
}

Result<std::unique_ptr<TranscodingSource>> TranscodingSource::open(
    const std::filesystem::path& path, const StoredOptions& options, const std::stop_token& stop) {
  // An absolute path is never taken for another protocol.
  auto file = VideoFile::open(std::filesystem::absolute(path).string(), options.size, stop);
  if (!file) return file.error();
  const FrameRate rate = regulated_rate((*file)->nominal_rate());
  auto encoder = make_encoder(options.codec, {.size = (*file)->size(),
                                              .rate = rate,
                                              .bitrate = options.bitrate,
                                              .gop = frames_in(options.gop, rate),
                                              .threads = options.threads,
                                              .buffer_frames = kStoredBuffer,
                                              .aligned_gops = options.aligned_gops});
  if (!encoder) return encoder.error();
  std::unique_ptr<TranscodingSource> source(
      new TranscodingSource(*std::move(file), *std::move(encoder), rate, options));
  // What nothing can be decoded of is no video: better said now than at the first frame.
  auto first = source->file_->next(stop);
  if (!first) return first.error();
  if (stop.stop_requested()) return Error{"stopped while opening " + path.string()};
  if (!*first) {
    return Error{"nothing in file " + path.string() +
                 " can be decoded; check it with another player"};
  }
  source->show(**std::move(first));
  if (options.sound) source->open_sound(path, stop);
  if (stop.stop_requested()) return Error{"stopped while opening " + path.string()};
  return source;
}

void TranscodingSource::open_sound(const std::filesystem::path& path, std::stop_token stop) {
  auto track =
      SoundTrack::open(std::filesystem::absolute(path).string(), file_->origin(), std::move(stop));
  if (track) {
    track_ = *std::move(track);
  } else {
    sound_trouble_ = "there is no sound: " + track.error().message;
  }
}

TranscodingSource::TranscodingSource(std::unique_ptr<VideoFile> file,
                                     std::unique_ptr<Encoder> encoder, FrameRate rate,
                                     const StoredOptions& options)
    : file_(std::move(file)),
      encoder_(std::move(encoder)),
      rate_(rate),
      codec_(options.codec),
      keys_only_(options.keys_only) {}

StoredInfo TranscodingSource::info() const {
  StoredInfo info;
  info.codec = codec_;
  info.rate = rate_;
  info.size = file_->size();
  info.duration = file_->duration();
  info.sound = track_ != nullptr;
  info.note = sound_trouble_;
  return info;
}

Result<std::variant<CodedFrame, EndOfStream>> TranscodingSource::next(std::stop_token stop) {
  const auto found = find_shown(stop);
  if (!found) return found.error();
  (void)take_sound();
  if (*found == Found::kEnd && track_) {
    track_->finish(sound_);
    sound_until_ = kLongestPosition;
  }
  if (*found != Found::kPicture) return {EndOfStream{}};
  if (!converted_) {
    auto frame = file_->convert(*shown_);
    if (!frame) return frame.error();
    converted_ = *std::move(frame);
  }
  const Timestamp due(rate_.time_of(place_));
  converted_->captured = due;
  auto coded = encoder_->encode(*converted_, number_);
  if (!coded) return coded.error();
  coded->due = due;
  ++place_;
  number_ = number_.next();
  if (track_) {
    track_->read(rate_.time_of(place_), stop, sound_);
    sound_until_ = rate_.time_of(place_) - kSoundBehind;
  }
  return {*std::move(coded)};
}

std::vector<SoundPacket> TranscodingSource::take_sound() {
  const auto later = std::ranges::find_if(
      sound_, [this](const SoundPacket& p) { return p.captured >= Timestamp(sound_until_); });
  std::vector<SoundPacket> taken(std::make_move_iterator(sound_.begin()),
                                 std::make_move_iterator(later));
  sound_.erase(sound_.begin(), later);
  return taken;
}

Result<TranscodingSource::Found> TranscodingSource::find_shown(const std::stop_token& stop) {
  if (keys_only_ && shown_) return Found::kPicture;
  for (;;) {
    if (!ahead_ && !at_end_) {
      auto got = file_->next(stop);
      if (!got) return got.error();
      if (*got) {
        ahead_ = **std::move(got);
      } else if (stop.stop_requested()) {
        return Found::kStopped;
      } else {
        at_end_ = true;
      }
    }
    if (ahead_) {
      if (shown_ && place_of(ahead_->position) > place_) return Found::kPicture;
      show(std::move(*std::exchange(ahead_, std::nullopt)));
      continue;
    }
    // The last picture is shown for one frame.
    return shown_ && place_of(shown_->position) >= place_ ? Found::kPicture : Found::kEnd;
  }
}

Result<Duration> TranscodingSource::seek(Duration to, std::stop_token stop) {
  const Duration duration = file_->duration();
  if (!keys_only_ && duration > Duration::zero() && to > duration - rate_.frame_time()) {
    to = duration - kLastPart;
  }
  to = std::clamp(to, Duration::zero(), kLongestPosition);
  place_ = static_cast<std::int64_t>(std::ceil(to_seconds(to) * rate_.per_second() - 1e-6));

  shown_.reset();
  converted_.reset();
  ahead_.reset();
  at_end_ = false;
  auto got = file_->seek(rate_.time_of(place_), stop);
  if (!got) return got.error();
  if (*got) {
    show(**std::move(got));
    const auto found = find_shown(stop);
    if (!found) return found.error();
    // The file is shorter than it says: its last picture.
    if (*found == Found::kEnd) place_ = place_of(shown_->position);
  }
  if (stop.stop_requested()) return Error{"stopped"};
  sound_.clear();
  sound_until_ = {};
  if (track_) track_->seek(rate_.time_of(place_) - kSoundBehind, stop);
  if (stop.stop_requested()) return Error{"stopped"};
  encoder_->request_sync_point();
  return rate_.time_of(place_);
}

std::int64_t TranscodingSource::place_of(Duration position) const {
  return std::llround(to_seconds(position) * rate_.per_second());
}

void TranscodingSource::show(VideoFile::Picture picture) {
  shown_ = std::move(picture);
  converted_.reset();
}

}  // namespace qvid::media
