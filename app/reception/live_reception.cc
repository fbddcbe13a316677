#include "app/reception/live_reception.h"

#include <utility>

#include "app/log/log.h"
#include "app/reception/add_earlier.h"
#include "media/unit/timeline_frames.h"

namespace qvid::app {

LiveReception::~LiveReception() { stop(); }

std::optional<Error> LiveReception::begin(const Content& content) {
  std::unique_ptr<media::Decoder> decoder;
  if (content.picture) {
    auto made = options_.decoders(content.picture->codec);
    if (!made) return made.error();
    decoder = *std::move(made);
  }
  stop();
  const std::lock_guard lock(mutex_);
  clock_ = options_.extras.presentation ? options_.extras.presentation
                                        : std::make_shared<media::PresentationClock>();
  if (content.sound && options_.engine != nullptr) {
    sound_ = make_sound();
    if (sound_ && !report_.sound) report_.sound.emplace();
  }
  if (!decoder) return std::nullopt;
  const PictureFormat& format = *content.picture;
  report_.rate = format.rate;
  report_.window = format.window;
  playback_ = std::make_unique<media::Playback>(format.rate, format.window, std::move(decoder),
                                                options_.on_picture, extras());
  return std::nullopt;
}

std::unique_ptr<LiveReception::Sound> LiveReception::make_sound() const {
  auto decoder = media::SoundDecoder::make();
  if (!decoder) {
    log_warning("there is no sound: {}", decoder.error().message);
    return nullptr;
  }
  return std::make_unique<Sound>(*options_.engine,
                                 std::make_shared<media::SoundPlayout>(*std::move(decoder), clock_),
                                 volume_);
}

media::PlaybackExtras LiveReception::extras() {
  media::PlaybackExtras extras = options_.extras;
  extras.presentation = clock_;
  return extras;
}

// Only this thread replaces what the next two use.
void LiveReception::on_picture(std::uint64_t position, const Payload& message, Timestamp arrival) {
  if (playback_) playback_->on_message(position, message, arrival);
}

void LiveReception::on_sound(std::uint64_t position, const Payload& message, Timestamp arrival) {
  if (sound_) (*sound_)->on_message(position, message, arrival);
}

std::optional<Duration> LiveReception::complete(Timestamp) {
  const std::lock_guard lock(mutex_);
  return report_.rate.time_of(report_.window + media::kDecodeFrames + 1);
}

bool LiveReception::lost(Timestamp) {
  stop();
  return false;
}

void LiveReception::stop() {
  std::unique_ptr<media::Playback> picture;
  std::unique_ptr<Sound> sound;
  {
    const std::lock_guard lock(mutex_);
    clock_.reset();
    if (sound_) report_.sound->playout = (*sound_)->stats() += report_.sound->playout;
    if (playback_) {
      media::PlaybackStats stats = playback_->stats();
      add_earlier(stats, report_.playback);
      stats.recent_fps = stats.recent_kbps = 0;
      report_.playback = std::move(stats);
    }
    sound = std::move(sound_);
    picture = std::move(playback_);
  }
  // They end here, outside the lock: the decode thread may be in a callback that wants the report.
}

bool LiveReception::pause(bool, Timestamp) { return false; }

void LiveReception::on_path(Duration late, Duration least_round_trip) {
  if (playback_) playback_->set_least_round_trip(least_round_trip);
  if (sound_) (*sound_)->expect_late(late);
}

Duration LiveReception::sound_needs() const { return sound_ ? (*sound_)->window() : Duration(); }

void LiveReception::set_volume(float volume) {
  volume_ = volume;
  if (sound_) sound_->set_volume(volume);
}

ReceptionReport LiveReception::report() const {
  const std::lock_guard lock(mutex_);
  ReceptionReport report = report_;
  if (playback_) {
    report.playback = playback_->stats();
    add_earlier(report.playback, report_.playback);
  }
  if (!report.sound) return report;
  if (sound_) report.sound->playout = (*sound_)->stats() += report_.sound->playout;
  report.sound->sync_error = report.playback.sync_error;
  // Of a picture that is received elsewhere.
  if (!report.sound->sync_error && clock_) report.sound->sync_error = clock_->sync_error();
  return report;
}

}  // namespace qvid::app
