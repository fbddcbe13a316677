// Receiving stored video (reception.h): it is played on over lost connections, and has places.
//
// The picture leads and sound follows, by the play clock. Sound begins where a seek epoch has some.
//
// Thread: as Reception and Places; Options' functions on the decode thread, until stop() or the
// destructor has returned.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "app/reception/played_sound.h"
#include "app/reception/reception.h"
#include "media/codec/decoder.h"
#include "media/sound/play_clock.h"
#include "media/sound/stored_sound.h"
#include "media/stored/stored_playback.h"

namespace qvid::app {

struct StoredReceptionOptions {
  std::function<void(media::ShownPicture)> on_picture = {};
  std::function<void()> on_change = {};  // time runs, stands still, or the end was reached
  media::SoundEngine* engine = nullptr;  // outlives it; null: nothing is heard
  media::DecoderMaker decoders = media::decoders_here();
};

class StoredReception final : public Reception, private Places {
 public:
  explicit StoredReception(StoredReceptionOptions options) : options_(std::move(options)) {}
  ~StoredReception() override;
  StoredReception(const StoredReception&) = delete;
  StoredReception& operator=(const StoredReception&) = delete;

  // Precondition: it has a picture. Messages are looked at once a seek epoch has begun.
  std::optional<Error> begin(const Content& content) override;
  void on_picture(std::uint64_t position, const Payload& message, Timestamp arrival) override;
  void on_sound(std::uint64_t position, const Payload& message, Timestamp arrival) override;
  std::optional<Duration> complete(Timestamp now) override;
  bool lost(Timestamp now) override;
  void stop() override;
  bool pause(bool on, Timestamp now) override;
  void on_path(Duration, Duration) override {}
  bool plays_sound() const override { return sound_ != nullptr; }
  // A sender of stored video knows by when from the place told to it.
  Duration sound_needs() const override { return {}; }
  void set_volume(float volume) override;
  Places* places() override { return playback_ ? this : nullptr; }
  ReceptionReport report() const override;

 private:
  using Sound = PlayedSound<media::StoredSound>;

  Now now() const override;
  Duration within(Duration wanted) const override;
  void seek(Duration to, Timestamp now) override;
  void begin(Duration to, bool sound, Timestamp now) override;
  void set_speed(double speed, Timestamp now) override;
  void begin_sound();

  const StoredReceptionOptions options_;
  const std::shared_ptr<media::PlayClock> clock_ = std::make_shared<media::PlayClock>();
  float volume_ = 1;
  bool complete_ = false;  // all of the seek epoch has come

  mutable std::mutex mutex_;  // guards the rest; held before the engine's
  std::unique_ptr<media::StoredPlayback> playback_;
  std::unique_ptr<Sound> sound_;
  ReceptionReport report_;  // as it was last, once it has stopped
};

}  // namespace qvid::app
