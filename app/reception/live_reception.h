// Receiving a live party (reception.h): its picture, its sound, or both.
//
// Sound leads and the picture follows, by the party's presentation clock.
//
// Thread: as Reception; Options' functions on the decode thread, until stop(), lost() or the
// destructor has returned.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "app/reception/played_sound.h"
#include "app/reception/reception.h"
#include "media/codec/decoder.h"
#include "media/playout/playback.h"
#include "media/sound/presentation_clock.h"
#include "media/sound/sound_playout.h"

namespace qvid::app {

struct LiveReceptionOptions {
  std::function<void(media::ShownPicture)> on_picture = {};
  // Without a clock of the party it has one of its own for each content.
  media::PlaybackExtras extras = {};
  media::SoundEngine* engine = nullptr;  // outlives it; null: nothing is heard
  media::DecoderMaker decoders = media::decoders_here();
};

class LiveReception final : public Reception {
 public:
  explicit LiveReception(LiveReceptionOptions options) : options_(std::move(options)) {}
  ~LiveReception() override;
  LiveReception(const LiveReception&) = delete;
  LiveReception& operator=(const LiveReception&) = delete;

  std::optional<Error> begin(const Content& content) override;
  void on_picture(std::uint64_t position, const Payload& message, Timestamp arrival) override;
  void on_sound(std::uint64_t position, const Payload& message, Timestamp arrival) override;
  std::optional<Duration> complete(Timestamp now) override;
  bool lost(Timestamp now) override;
  void stop() override;
  bool pause(bool on, Timestamp now) override;
  void on_path(Duration late, Duration least_round_trip) override;
  bool plays_sound() const override { return sound_ != nullptr; }
  Duration sound_needs() const override;
  void set_volume(float volume) override;
  Places* places() override { return nullptr; }
  ReceptionReport report() const override;

 private:
  using Sound = PlayedSound<media::SoundPlayout>;

  std::unique_ptr<Sound> make_sound() const;
  media::PlaybackExtras extras();

  const LiveReceptionOptions options_;
  float volume_ = 1;

  mutable std::mutex mutex_;  // guards the rest; held before the engine's
  std::shared_ptr<media::PresentationClock> clock_;
  std::unique_ptr<media::Playback> playback_;
  std::unique_ptr<Sound> sound_;
  ReceptionReport report_;  // of what has ended
};

}  // namespace qvid::app
