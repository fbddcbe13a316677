// QClient: connects, asks for a video, plays it, and connects again when the connection is lost.
//
//   Session -- messages --> Player -- of picture and sound --> Reception -> pictures, sound
//           <-- requests --
//
// What can be mended by waiting (no server yet, connection lost) is tried again with back-off,
// unless retry is off; what cannot (refused, another protocol, another version) ends the player.
// Live video goes on where it is by then, stored video where it was.
// Thread: the io_context's; `report` and the picture callback: any.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/log/frame_log.h"
#include "app/options/exit_codes.h"
#include "app/options/url.h"
#include "app/play/preview_frames.h"
#include "app/protocol/play_protocol.h"
#include "app/reception/begin_anew.h"
#include "app/reception/reception.h"
#include "app/reception/sound_window.h"
#include "app/reception/volume.h"
#include "base/backoff.h"
#include "media/playout/playback.h"
#include "media/sound/sound_engine.h"
#include "transport/session/session.h"
#include "transport/session/signal_log.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct PlayerOptions {
  Url url;
  int window = 3;
  media::PlayoutMode playout = media::PlayoutMode::kEarly;  // of live video
  media::Preference prefer = media::Preference::kMotion;
  int layers = kAllLayers;  // no more of the picture, 1..kAllLayers
  Duration start{};         // of stored video
  double speed = 1;         // of stored video
  float volume = 1;         // of the sound, 0.05..4
  std::string token = {};   // or a passphrase, of a server that wants one
  bool retry = true;
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Trust> trust;  // empty: no TLS
  std::shared_ptr<paceline::Proxy> proxy;  // empty: directly
  std::string signals_file;                // CSV of what the session measures; empty: none
  std::string frames_file;                 // CSV of the frames of live video; empty: none
  media::DecoderMaker decoders = media::decoders_here();
};

// A snapshot for overlay and report.
struct PlayerReport : ReceptionReport {
  Volume volume;
  bool paused = false;
  double speed = 1;           // of stored video
  int layers = kAllLayers;    // that are wanted
  bool layers_heard = false;  // the server takes another number of them
  paceline::SessionSignals network;
  std::string security;  // of the connection, as "TLSv1.3 ..."
  std::int64_t reconnections = 0;
  std::string limited;  // why the video is less than was asked for; empty: it is not
  std::string status;   // trouble, in a sentence; empty: all is well
};

class Player {
 public:
  struct Callbacks {
    std::function<void(media::ShownPicture)> picture;         // decode thread
    std::function<void()> changed;                            // io thread: status or statistics
    std::function<void(ExitCode, const std::string&)> ended;  // io thread; the last one
    // io thread: what ask_preview was answered with.
    std::function<void(PreviewFrame)> preview = [](const PreviewFrame&) {};
  };
  // `speaker`: where sound goes; empty: at the clock's pace nowhere.
  Player(boost::asio::io_context& io, PlayerOptions options,
         std::unique_ptr<media::SoundOutput> speaker, Callbacks callbacks);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void start();
  // Each on the io thread.
  void stop();
  void toggle_pause();
  // Of stored video; of live video nothing happens.
  void seek(Duration to);
  void seek_by(Duration distance);  // negative: back
  // A small picture of that place of stored video, where the server has such ones; of the places
  // asked for the last counts.
  void ask_preview(Duration place);
  // `step`: what comes after the speed there is.
  void change_speed(double (*step)(double now));
  // The base alone, or all layers again; nothing happens where the server has no ear for it. Of stored video
  // what is to be sharper is asked for anew from here on.
  void toggle_layers();
  // Of the sound; where there is none nothing happens. The volume stays in 0.05..4.
  void change_volume(float factor);
  void toggle_silence();
  PlayerReport report() const;

 private:
  // The connection (player.cc).
  void connect();
  void on_event(paceline::SessionEvent&& event);
  void on_closed(const paceline::SessionClosed& closed);
  void try_again(const std::string& why);
  void end(ExitCode code, const std::string& why);
  void set_status(std::string status);
  void every_quarter_second();

  // What is asked and answered (player_requests.cc).
  void tell(const ClientMessage& message);
  void request();
  void on_message(const paceline::MessageArrived& message);
  void on_server_message(const ServerMessage& message);
  void on_playing(const Playing& playing);
  void on_moved(const Moved& moved);
  void on_limited(const Limited& limited);
  void on_ended(const Ended& over);
  void on_places_change();
  void tell_place();
  void tell_sound();
  void begin_anew();
  void apply_volume();

  std::unique_ptr<Reception> make_reception(bool stored);
  Places* places() const { return reception_ ? reception_->places() : nullptr; }
  void show(media::ShownPicture picture);
  // `f`, on the io thread, while this lives.
  template <class F>
  void post(F f);

  boost::asio::io_context& io_;
  const PlayerOptions options_;
  Callbacks callbacks_;
  std::shared_ptr<paceline::Session> session_;
  std::unique_ptr<paceline::SignalLog> signals_;
  std::unique_ptr<FrameLog> frames_;  // of the decode thread while there is a reception
  paceline::Timer retry_timer_;
  paceline::Timer tick_;
  Backoff backoff_;
  bool ended_ = false;

  // Of this session.
  bool playing_ = false;  // it was answered
  paceline::StreamId stream_;
  std::optional<paceline::StreamId> sound_stream_;
  std::optional<bool> told_sound_;  // that sound is played
  std::optional<paceline::StreamId> preview_stream_;
  PreviewFrames previews_;
  BeginAnew begin_anew_;

  int window_;  // transmit window in frames
  SoundWindow sound_window_;
  std::optional<std::string> ended_reason_;  // the stream is at its end; the last frames play
  // A seek that the server has not answered, and the one after it: the latest wins.
  bool seeking_ = false;
  std::optional<Duration> next_seek_;
  std::atomic<bool> first_picture_ = true;  // is still to come

  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::SoundEngine> engine_;
  mutable std::mutex mutex_;              // guards what report() reads
  std::unique_ptr<Reception> reception_;  // empty: nothing has been announced
  PlayerReport report_;                   // without what the reception says
};

}  // namespace qvid::app
