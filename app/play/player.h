// QClient: connects, asks for a video, plays it, and connects again when the connection is lost.
//
// What can be mended by waiting (no server yet, connection lost) is tried again with back-off,
// unless retry is off; what cannot (refused, another protocol, another version) ends the player.
// Live video goes on where it is by then, stored video where it was.
// Thread: the io_context's; `report` and the picture callback: any.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "app/log/frame_log.h"
#include "app/options/backoff.h"
#include "app/options/exit_codes.h"
#include "app/options/url.h"
#include "app/protocol/play_protocol.h"
#include "app/reception/sound_window.h"
#include "media/playout/playback.h"
#include "media/sound/sound_engine.h"
#include "media/sound/stored_sound.h"
#include "media/stored/stored_playback.h"
#include "transport/session/session.h"
#include "transport/session/signal_log.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct PlayerOptions {
  Url url;
  int window = 3;
  std::optional<media::WindowPolicyOptions> automatic_window;  // of live video: `window` begins
  media::Preference prefer = media::Preference::kMotion;
  Duration start{};  // of stored video
  bool retry = true;
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Trust> trust;  // empty: no TLS
  std::string signals_file;                // CSV of what the session measures; empty: none
  std::string frames_file;                 // CSV of the frames of live video; empty: none
};

// A snapshot for overlay and report.
struct PlayerReport {
  media::PlaybackStats playback;  // summed over reconnections where it counts
  struct Stored {
    Duration duration{};  // zero: not known
    media::StoredPlaybackStats now;
  };
  std::optional<Stored> stored;  // empty: live, or not known yet
  struct Sound {
    media::SoundPlayoutStats playout;
    std::optional<Duration> sync_error;  // of the picture; positive: the picture is late
    float volume = 1;                    // 0..4
    bool silenced = false;
  };
  std::optional<Sound> sound;  // empty: there is none
  bool paused = false;
  paceline::SessionSignals network;
  std::string security;  // of the connection, as "TLSv1.3 ..."
  FrameRate rate;
  int window = 0;
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
  // Of the sound; where there is none nothing happens. The volume stays in 0.05..4.
  void change_volume(float factor);
  void toggle_silence();
  PlayerReport report() const;

 private:
  void connect();
  void on_event(paceline::SessionEvent&& event);
  void on_message(const paceline::MessageArrived& message);
  void on_server_message(const ServerMessage& message);
  void on_playing(const Playing& playing);
  media::PlaybackExtras playback_extras();
  void on_window_wanted(int window);
  void on_playing_stored(const Playing& playing);
  void on_moved(const Moved& moved);
  void on_ended(const Ended& over);
  void on_stored_change();
  void tell(const ClientMessage& message);
  void tell_position();
  void on_closed(const paceline::SessionClosed& closed);
  void try_again(const std::string& why);
  void end(ExitCode code, const std::string& why);
  void set_status(std::string status);
  void every_quarter_second();
  void retire_playback();
  void begin_sound(const Playing& playing);
  void retire_sound();
  void begin_stored_sound(std::optional<std::uint32_t> stream);
  void apply_volume();
  void tell_sound();
  void retire_stored();
  std::function<void(media::ShownPicture)> picture_sink();

  boost::asio::io_context& io_;
  const PlayerOptions options_;
  Callbacks callbacks_;
  std::shared_ptr<paceline::Session> session_;
  std::unique_ptr<paceline::SignalLog> signals_;
  std::unique_ptr<FrameLog> frames_;  // of the decode thread while there is a playback
  paceline::Timer retry_timer_;
  paceline::Timer tick_;
  Backoff backoff_;
  paceline::StreamId stream_;
  std::optional<paceline::StreamId> sound_stream_;
  SoundWindow sound_window_;
  std::optional<bool> told_sound_;  // that sound is played; empty: not in this session
  bool ended_ = false;
  std::optional<std::string> ended_reason_;  // the stream is at its end; the last frames play
  // A seek that the server has not answered, and the one after it: the latest wins.
  bool seeking_ = false;
  std::optional<Duration> next_seek_;

  mutable std::mutex mutex_;                         // guards what report() reads
  std::unique_ptr<media::Playback> playback_;        // live
  std::unique_ptr<media::StoredPlayback> stored_;    // kept over reconnections
  std::shared_ptr<media::PresentationClock> clock_;  // of this playback and its sound
  std::shared_ptr<media::SoundPlayout> sound_;
  std::shared_ptr<media::PlayClock> play_clock_;      // of stored_ and its sound
  std::shared_ptr<media::StoredSound> stored_sound_;  // kept as stored_ is
  PlayerReport report_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::SoundEngine> engine_;  // empty: nothing is to be heard
};

}  // namespace qvid::app
