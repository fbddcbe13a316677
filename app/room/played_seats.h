// The seats of a party that plays what it watches: its pictures, and its sound where that is heard.
//
// Thread: as PartySeats; pictures come on decode threads until the destructor returns.
#pragma once

#include <optional>

#include "app/reception/presentation_clocks.h"
#include "app/room/heard_seats.h"
#include "app/room/party_seats.h"
#include "app/room/seat_playbacks.h"
#include "media/codec/codec.h"

namespace qvid::app {

class PlayedSeats final : public PartySeats {
 public:
  // `window`, `decoders`: as SeatPlaybacks has it. `engine`: of the sound, outlives this; null: none
  // is heard.
  PlayedSeats(int window, media::PlayoutMode playout, media::DecoderMaker decoders,
              media::SoundEngine* engine, SeatPlaybacks::OnPicture on_picture)
      : pictures_(window, playout, std::move(decoders), clocks_, std::move(on_picture)) {
    if (engine != nullptr) sound_.emplace(*engine, clocks_);
  }

  std::vector<std::string> decodes() const override { return media::codec_names(); }
  void joined() override { pictures_.clear(); }
  void left() override {
    if (sound_) sound_->clear();
  }
  void show(const qps::Seat& seat) override { pictures_.show(seat); }
  void on_picture(int seat, std::uint64_t position, const Payload& message,
                  Timestamp now) override {
    pictures_.on_message(seat, position, message, now);
  }
  std::optional<qps::Watch> sound_watch(const qps::Watch& pictures) const override {
    if (!sound_) return std::nullopt;
    return sound_->watch(pictures);
  }
  void hear(const qps::Seat& seat) override {
    if (sound_) sound_->hear(seat);
  }
  void on_sound(int seat, std::uint64_t position, const Payload& message, Timestamp now) override {
    if (sound_) sound_->on_message(seat, position, message, now);
  }
  bool tick(Duration late, Timestamp now) override {
    pictures_.tidy();
    return sound_ && sound_->tick(late, now);
  }
  std::int64_t decode_errors() const override { return pictures_.decode_errors(); }
  Duration held() const override { return pictures_.held(); }
  void add_to(PartyReport& report) const override {
    pictures_.add_to(report.seats, report.seen);
    if (sound_ && report.sound) sound_->add_to(report);
  }

  // Null: nothing is heard.
  HeardSeats* sound() { return sound_ ? &*sound_ : nullptr; }

 private:
  PresentationClocks clocks_;
  std::optional<HeardSeats> sound_;
  SeatPlaybacks pictures_;
};

}  // namespace qvid::app
