// A page that watches what a server shows live, as app/play/player.h does: asks for it, shows and plays
// it, and comes back when the connection is lost.
//
//   Session -- messages --> PictureSeats, SoundSeats, a seat of each --> the browser
//           <-- requests --     |
//                            events of the page, as JSON
//
// What waiting can mend is tried again with back-off; a refusal, an end and a stored video end it.
// Thread: the worker's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "app/protocol/play_protocol.h"
#include "app/reception/begin_anew.h"
#include "app/reception/presentation_clocks.h"
#include "base/backoff.h"
#include "transport/session/session.h"
#include "transport/socket/timer.h"
#include "web/engine/picture_seats.h"
#include "web/engine/sound_seats.h"
#include "web/engine/visit.h"

namespace qvid::web {

struct WatchOptions {
  std::string name;   // of what is shown
  std::string token;  // or a passphrase; empty: none
  paceline::Address server;
};

class Watch final : public Visit {
 public:
  Watch(boost::asio::io_context& io, WatchOptions options);
  ~Watch() override;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void turn(Timestamp now) override { pictures_.turn(now); }
  void on_stood(Timestamp now) override { pictures_.on_stood(now); }
  void on_decoded(int ticket, std::optional<int> picture, media::PictureSize size,
                  Timestamp now) override;
  void on_sound_decoded(int ticket, std::span<const float> stereo, Timestamp now) override {
    sound_.on_decoded(ticket, stereo, now);
  }
  std::span<const float> sound_turn(Timestamp heard) override { return sound_.turn(heard); }
  void leave() override;
  // Whether sound is wanted: a page may play none before somebody presses something. Until then, and
  // while it is muted, the server sends none.
  void hear(bool on);

 private:
  void connect();
  void on_event(paceline::SessionEvent&& event);
  void on_message(const paceline::MessageArrived& message);
  void on_server_message(const app::ServerMessage& message);
  void on_playing(const app::Playing& playing);
  void on_closed(const paceline::SessionClosed& closed);
  void begin_sound();
  // What is on its way is still shown.
  void on_over(const app::Ended& over);
  // Nothing more is seen, and why.
  void end(const std::string& reason);
  void ask(const app::ClientMessage& message);
  void clear();
  void tick();
  void tell_report(Timestamp now);

  boost::asio::io_context& io_;
  const WatchOptions options_;
  paceline::Timer retry_timer_;
  paceline::Timer tick_timer_;
  Backoff backoff_;
  app::PresentationClocks clocks_;
  PictureSeats pictures_;
  SoundSeats sound_;
  std::shared_ptr<paceline::Session> session_;
  bool hears_ = false;

  // Of this session.
  bool playing_ = false;  // it was answered
  paceline::StreamId stream_;
  std::optional<paceline::StreamId> sound_stream_;
  FrameRate rate_;
  std::optional<std::string> over_;  // it is at its end, and why
  app::BeginAnew begin_anew_;
};

}  // namespace qvid::web
