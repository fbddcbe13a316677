// The seats of a party that plays what it watches: its pictures, what is shared, and its sound where
// that is heard.
//
// Thread: as PartySeats; pictures come on decode threads until the destructor returns.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "app/reception/presentation_clocks.h"
#include "app/room/heard_seats.h"
#include "app/room/party_seats.h"
#include "app/room/seat_playbacks.h"
#include "media/codec/codec.h"

namespace qvid::app {

class PlayedSeats final : public PartySeats {
 public:
  // Of a seat of that viewer, and whose; on a decode thread.
  using OnPicture = std::function<void(std::uint32_t viewer, int seat, const std::string& name,
                                       media::ShownPicture)>;

  // `window`, `decoders`: as SeatPlaybacks has it. `engine`: of the sound, outlives this; null: none
  // is heard.
  PlayedSeats(int window, media::PlayoutMode playout, media::DecoderMaker decoders,
              media::SoundEngine* engine, const OnPicture& on_picture)
      : pictures_("seat", window, playout, decoders, clocks_, of(kPictureViewer, on_picture)),
        shares_("share", window, playout, decoders, clocks_, of(kShareViewer, on_picture)) {
    if (engine != nullptr) sound_.emplace(*engine, clocks_);
  }

  std::vector<std::string> decodes() const override { return media::codec_names(); }
  void joined() override {
    pictures_.clear();
    shares_.clear();
  }
  void left() override {
    if (sound_) sound_->clear();
  }
  void show(const qps::Seat& seat) override { playbacks(seat.viewer).show(seat); }
  void on_picture(std::uint32_t viewer, int seat, std::uint64_t position, const Payload& message,
                  Timestamp now) override {
    playbacks(viewer).on_message(seat, position, message, now);
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
    shares_.tidy();
    return sound_ && sound_->tick(late, now);
  }
  std::int64_t decode_errors() const override {
    return pictures_.decode_errors() + shares_.decode_errors();
  }
  Duration held() const override { return std::max(pictures_.held(), shares_.held()); }
  void add_to(PartyReport& report) const override {
    pictures_.add_to(report.seats, report.seen);
    SeenReports shares;
    shares_.add_to(report.shares_seen, shares);
    if (sound_ && report.sound) sound_->add_to(report);
  }

  // Null: nothing is heard.
  HeardSeats* sound() { return sound_ ? &*sound_ : nullptr; }

 private:
  static SeatPlaybacks::OnPicture of(std::uint32_t viewer, const OnPicture& on_picture) {
    return [viewer, on_picture](int seat, const std::string& name, media::ShownPicture picture) {
      on_picture(viewer, seat, name, std::move(picture));
    };
  }
  SeatPlaybacks& playbacks(std::uint32_t viewer) {
    return viewer == kShareViewer ? shares_ : pictures_;
  }

  PresentationClocks clocks_;
  std::optional<HeardSeats> sound_;
  SeatPlaybacks pictures_;
  SeatPlaybacks shares_;
};

}  // namespace qvid::app
