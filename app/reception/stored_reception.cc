#include "app/reception/stored_reception.h"

#include <algorithm>
#include <utility>

#include "app/log/log.h"

namespace qvid::app {

StoredReception::~StoredReception() { stop(); }

std::optional<Error> StoredReception::begin(const Content& content) {
  const PictureFormat& format = *content.picture;
  if (const auto decoder = media::make_decoder(format.codec); !decoder) return decoder.error();
  const std::lock_guard lock(mutex_);
  report_.rate = format.rate;
  report_.window = format.window;
  if (!report_.stored) report_.stored.emplace();
  report_.stored->duration = content.duration;
  if (playback_) return std::nullopt;
  playback_ = std::make_unique<media::StoredPlayback>(
      format.rate, format.codec,
      media::StoredPlayback::Callbacks{.picture = options_.on_picture,
                                       .change = options_.on_change},
      clock_, options_.decoders);
  return std::nullopt;
}

// Only this thread replaces what is used without the lock from here on.
void StoredReception::on_picture(std::uint64_t position, const Payload& message,
                                 Timestamp arrival) {
  if (playback_) playback_->on_message(position, message, arrival);
}

void StoredReception::on_sound(std::uint64_t position, const Payload& message, Timestamp) {
  if (sound_) (*sound_)->on_message(position, message);
}

std::optional<Duration> StoredReception::complete(Timestamp now) {
  complete_ = true;
  if (sound_) (*sound_)->end();
  if (playback_) playback_->end(now);
  return std::nullopt;
}

bool StoredReception::lost(Timestamp now) {
  if (complete_) return true;
  // The next connection begins where this one was.
  if (playback_) seek(playback_->stats().place, now);
  return false;
}

void StoredReception::stop() {
  ReceptionReport last = report();
  std::unique_ptr<media::StoredPlayback> picture;
  std::unique_ptr<Sound> sound;
  {
    const std::lock_guard lock(mutex_);
    report_ = std::move(last);
    sound = std::move(sound_);
    picture = std::move(playback_);
  }
  // They end here, outside the lock: the decode thread may be in a callback that wants the report.
}

bool StoredReception::pause(bool on, Timestamp now) {
  if (playback_) playback_->pause(on, now);
  return true;
}

void StoredReception::set_volume(float volume) {
  volume_ = volume;
  if (sound_) sound_->set_volume(volume);
}

Places::Now StoredReception::now() const {
  const media::StoredPlaybackStats stats = playback_->stats();
  using enum media::StoredPlayout::State;
  return {.place = stats.place,
          .buffered = stats.buffered,
          .runs = stats.runs,
          .moving = stats.state == kMoving,
          .finished = stats.state == kFinished,
          .speed = stats.speed};
}

Duration StoredReception::within(Duration wanted) const {
  const std::lock_guard lock(mutex_);
  const Duration duration = report_.stored->duration;
  if (duration > Duration::zero()) {
    wanted = std::min(wanted, duration - report_.rate.frame_time());
  }
  return std::max(wanted, Duration::zero());
}

void StoredReception::seek(Duration to, Timestamp now) {
  complete_ = false;
  playback_->seek(to, now);
}

void StoredReception::begin(Duration to, bool sound, Timestamp now) {
  complete_ = false;
  if (sound_) (*sound_)->begin();
  if (sound && !sound_) begin_sound();
  playback_->begin(to, now);
}

void StoredReception::set_speed(double speed, Timestamp now) { playback_->set_speed(speed, now); }

void StoredReception::begin_sound() {
  if (options_.engine == nullptr) return;
  auto decoder = media::SoundDecoder::make();
  if (!decoder) return log_warning("there is no sound: {}", decoder.error().message);
  auto sound = std::make_unique<Sound>(
      *options_.engine, std::make_shared<media::StoredSound>(*std::move(decoder), clock_), volume_);
  const std::lock_guard lock(mutex_);
  sound_ = std::move(sound);
  report_.sound.emplace();
}

ReceptionReport StoredReception::report() const {
  const std::lock_guard lock(mutex_);
  ReceptionReport report = report_;
  if (playback_) report.stored->now = playback_->stats();
  if (report.stored) report.playback = report.stored->now.frames;
  if (sound_) report.sound = {.playout = (*sound_)->stats(), .sync_error = clock_->sync_error()};
  return report;
}

}  // namespace qvid::app
