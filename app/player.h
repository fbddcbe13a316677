// QClient: connects, asks for a video, plays it, and connects again when the connection is lost.
//
// What can be mended by waiting (no server yet, connection lost) is tried again with back-off,
// unless retry is off; what cannot (refused, another protocol, another version) ends the player.
// Thread: the io_context's; `report` and the picture callback: any.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/backoff.h"
#include "app/exit_codes.h"
#include "app/play_protocol.h"
#include "app/url.h"
#include "media/playback.h"
#include "transport/monitor.h"
#include "transport/session.h"

namespace qvid::app {

struct PlayerOptions {
  Url url;
  int window = 3;
  bool retry = true;
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Trust> trust;  // empty: no TLS
  std::string signals_file;                // CSV of what the session measures; empty: none
};

// A snapshot for overlay and report.
struct PlayerReport {
  media::PlaybackStats playback;  // summed over reconnections where it counts
  paceline::SessionSignals network;
  std::string security;  // of the connection, as "TLSv1.3 ..."
  FrameRate rate;
  int window = 0;
  std::int64_t reconnections = 0;
  std::string status;  // trouble, in a sentence; empty: all is well
};

class Player {
 public:
  struct Callbacks {
    std::function<void(media::ShownPicture)> picture;         // decode thread
    std::function<void()> changed;                            // io thread: status or statistics
    std::function<void(ExitCode, const std::string&)> ended;  // io thread; the last one
  };
  Player(boost::asio::io_context& io, PlayerOptions options, Callbacks callbacks);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void start();
  void stop();  // io thread
  PlayerReport report() const;

 private:
  void connect();
  void on_event(paceline::SessionEvent&& event);
  void on_message(const paceline::MessageArrived& message);
  void on_server_message(const ServerMessage& message);
  void on_playing(const Playing& playing);
  void on_closed(const paceline::SessionClosed& closed);
  void try_again(const std::string& why);
  void end(ExitCode code, const std::string& why);
  void set_status(std::string status);
  void every_quarter_second();
  void retire_playback();
  std::function<void(media::ShownPicture)> picture_sink();

  boost::asio::io_context& io_;
  const PlayerOptions options_;
  Callbacks callbacks_;
  std::shared_ptr<paceline::Session> session_;
  std::unique_ptr<paceline::SignalLog> signals_;
  boost::asio::steady_timer retry_timer_;
  boost::asio::steady_timer tick_;
  Backoff backoff_;
  paceline::StreamId stream_;
  bool ended_ = false;
  std::optional<std::string> ended_reason_;  // the stream is at its end; the last frames play

  mutable std::mutex mutex_;  // guards what report() reads
  std::unique_ptr<media::Playback> playback_;
  PlayerReport report_;
};

}  // namespace qvid::app
