// A party of a room: publishes a source, watches others, or both, and connects again when the
// connection is lost.
//
//   Feed -> RoomPublisher -> RoomClient ==== broker ==== RoomClient -> a Playback for every seat
//
// What waiting can mend (no broker, connection lost, a broker that drains) is tried again with
// back-off; a refusal ends it, and so does a broker that has removed it. Thread: the io_context's;
// `report` any, pictures on decode threads.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/feed/feed.h"
#include "app/options/backoff.h"
#include "app/options/exit_codes.h"
#include "app/options/url.h"
#include "app/room/room_publisher.h"
#include "app/room/room_sound.h"
#include "app/room/seat_playbacks.h"
#include "media/playout/playback.h"
#include "pubsub/client/room_client.h"
#include "transport/socket/timer.h"

namespace qvid::app {

struct PartyOptions {
  Url url;  // its name is the room
  std::string name;
  std::string token;  // as the broker wants it; empty: none
  nlohmann::json attributes = nlohmann::json::object();
  std::optional<media::LiveInOptions> source;  // what it publishes
  media::Preference prefer = media::Preference::kMotion;
  // Whom it watches: by name, or the best by criteria, of which none mean everybody else, who
  // joined first before the others.
  bool watches = true;
  std::vector<std::string> names;
  std::string best;
  int seats = 9;
  int window = 3;  // frames, of each of the two ways
  bool retry = true;
  paceline::SessionConfig session;
  std::shared_ptr<paceline::Trust> trust;
};

// What a member says of its own voice, by attributes.
struct MemberVoice {
  media::VoiceState state;
  bool muted = false;
};

struct PartyReport {
  std::string status;  // what is wrong now; empty: nothing
  bool joined = false;
  std::vector<std::string> members;
  std::vector<std::string> publishers;  // of the members
  std::vector<SeatReport> seats;
  SeenReports seen;
  std::optional<SoundReport> sound;           // empty: none is sent or heard
  std::map<std::string, MemberVoice> voices;  // of the members who publish sound, by name
  std::int64_t frames_published = 0;
  std::int64_t reconnections = 0;
  paceline::SessionSignals network;
};

class RoomParty {
 public:
  struct Callbacks {
    // A picture of a seat, and whose; on a decode thread.
    std::function<void(int seat, const std::string& name, media::ShownPicture)> picture;
    // The own source's; on its capture thread.
    std::function<void(const media::VideoFrame&)> own_picture;
    // Something of the report changed.
    std::function<void()> changed;
    std::function<void(const std::string& text)> notice;  // "Ann joined"
    std::function<void(ExitCode, const std::string&)> ended;
    // Where these are given nothing is decoded: who a seat shows from now on, and then its
    // messages (media/unit/unit_wire.h). On the io_context's thread.
    std::function<void(const qps::Seat&)> coded_seat = {};
    std::function<void(int seat, std::uint64_t position, const Payload&)> coded_message = {};
    // With it, of those it watches the packets of sound too (media/sound/sound_packet.h); for a
    // party that hears nothing.
    std::function<void(const std::string& name, const Payload&)> coded_sound = {};
  };
  // Without `sound` none is sent or heard.
  RoomParty(boost::asio::io_context& io, PartyOptions options,
            std::optional<RoomSoundOptions> sound, Callbacks callbacks);
  ~RoomParty();
  RoomParty(const RoomParty&) = delete;
  RoomParty& operator=(const RoomParty&) = delete;

  void start();
  void stop();
  // The source, on and off; what it publishes, from now on.
  void set_source(std::optional<media::LiveInOptions> source);
  // Whom it watches from now on, by name.
  void set_names(std::vector<std::string> names);
  // The same by criteria. What the broker refuses is told, and what was before stays.
  void set_best(std::string best);
  // The own voice.
  void set_muted(bool muted);
  // Any thread; nothing where there is no sound.
  void set_volume(const std::string& name, float volume);
  void set_volume_of_all(float volume);
  PartyReport report() const;

 private:
  void connect();
  void try_again(const std::string& why);
  void on_joined();
  void on_left(const std::string& reason, bool final);
  void on_seat(const qps::Seat& seat);
  void on_part(int seat, qps::Part&& part);
  void start_source();
  void on_source_ended();
  void watch();
  void end(ExitCode code, const std::string& why);
  void set_status(std::string status);
  void tick();
  void note_member(const qps::Member& member);
  void on_sound_seat(const qps::Seat& seat);
  void on_sound_part(int seat, const qps::Part& part);
  void on_voice(const media::VoiceState& voice);

  boost::asio::io_context& io_;
  PartyOptions options_;
  const Callbacks callbacks_;
  PresentationClocks clocks_;
  SeatPlaybacks seats_;
  std::unique_ptr<RoomSound> sound_;         // empty: there is none
  std::map<int, std::string> coded_sounds_;  // by seat, whose sound is handed on coded
  paceline::Timer retry_timer_;
  paceline::Timer tick_timer_;
  Backoff backoff_;
  bool ended_ = false;
  std::optional<Timestamp> joined_at_;      // while it is a member
  std::optional<Timestamp> lost_at_;        // when it last ceased to be one
  std::optional<std::string> best_before_;  // what a refusal goes back to; empty: the first ones
  std::optional<std::string>
      next_best_;  // criteria that wait for their turn: the broker has a limit
  Timestamp best_changed_{};
  paceline::Timer best_timer_;
  bool told_of_all_ = false;  // members who were there before are no news

  mutable std::mutex mutex_;  // guards what report() reads
  std::set<std::string> members_;
  std::set<std::string> publishers_;
  std::map<std::string, MemberVoice> voices_;
  PartyReport report_;

  // Ends before its feeds, and after nobody uses it.
  std::vector<std::unique_ptr<Feed>> feeds_;
  Feed* feed_ = nullptr;  // the one that is published
  std::unique_ptr<qps::RoomClient> client_;
  std::unique_ptr<RoomPublisher> publisher_;
};

}  // namespace qvid::app
