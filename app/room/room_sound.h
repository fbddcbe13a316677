// The sound of a party: its own as the track `sound` of a room, and that of the others.
//
//   SoundEngine -> packets -> posted -> items of one part -> RoomClient ==== broker
//   broker ==== RoomClient -> a SoundPlayout for every seat -> SoundEngine
//
// An item is a packet: one can begin with each, and none needs another. It is of use until the
// listener plays it: a listener tells the broker by its window how long that is
// (app/reception/sound_window.h). The way to the broker gets kPatience, since no listener waits
// longer.
//
// Heard are who is named, or else the kSeats loudest; who is silent sends nothing and costs none.
//
// Queue: sound_post.h. Thread: the io_context's; `report`, `set_volume` any.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/feed/sound_post.h"
#include "app/reception/presentation_clocks.h"
#include "app/reception/sound_window.h"
#include "media/sound/sound_engine.h"
#include "media/sound/sound_rate.h"
#include "pubsub/client/room_client.h"

namespace qvid::app {

inline constexpr const char* kSoundTrack = "sound";

struct RoomSoundOptions {
  media::SoundEngineOptions engine;  // without input nothing is published
  bool hears = true;
  bool muted = false;              // to begin with
  std::vector<std::string> names;  // whom it hears; empty: the loudest
};

// Somebody who is heard, or was.
struct HeardReport {
  std::optional<int> seat;  // now
  std::string name;
  media::SoundPlayoutStats playout;    // of all seats and times; delays are the latest
  std::optional<Duration> sync_error;  // of the picture; positive: the picture is late
};

struct SoundReport {
  std::vector<HeardReport> heard;
  media::SoundEngineStats engine;
  bool publishes = false;
  bool muted = false;
  std::int64_t packets_sent = 0;
  std::int64_t packets_dropped = 0;  // not taken in time, by the network thread or by the session
  std::int64_t packets_late = 0;     // cancelled on the way to the broker
  DataRate rate;
};

class RoomSound {
 public:
  static constexpr std::uint32_t kViewer = 2;
  static constexpr int kSeats = 8;
  static constexpr Duration kPatience = std::chrono::milliseconds(1500);
  static constexpr std::size_t kMostHeard = 256;  // names in the report; later ones are left out

  // `on_voice`: on the io_context's thread, as it changes.
  RoomSound(boost::asio::io_context& io, PresentationClocks& clocks, RoomSoundOptions options,
            std::function<void(const media::VoiceState&)> on_voice);
  ~RoomSound();
  RoomSound(const RoomSound&) = delete;
  RoomSound& operator=(const RoomSound&) = delete;

  // `client` stays until on_left, or until this is destroyed.
  void on_joined(qps::RoomClient& client);
  void on_left();
  // What the broker says of this track and viewer.
  void on_seat(const qps::Seat& seat);
  void on_part(int seat, const qps::Part& part, Timestamp now);
  void on_wanted(bool wanted);
  void on_part_ended(bool delivered);

  // Whom it hears from now on.
  void set_names(std::vector<std::string> names);
  // What the path of the weakest listener carries, with the picture.
  void on_path(DataRate path, Timestamp now);
  // What comes may be that much late (SoundPlayout::expect_late); now and then.
  void expect_late(Duration late);
  // Now and then: windows are told.
  void tick(Timestamp now);

  void set_muted(bool muted);
  bool publishes() const { return publishes_; }
  // Of who is heard under that name, now and later, and of all together: 0..4; 1 is as it came.
  // What somebody is played at is the product, at most 4.
  void set_volume(const std::string& name, float volume);
  void set_volume_of_all(float volume);
  SoundReport report() const;

 private:
  struct Seat {
    std::string name;
    std::shared_ptr<media::PresentationClock> clock;
    std::shared_ptr<media::SoundPlayout> playout;
  };
  void send(const media::SoundPacket& packet);
  void watch();
  void empty(Seat& seat);
  void add_heard(const Seat& seat, std::optional<int> number,
                 std::map<std::string, HeardReport>& heard) const;
  float volume_of(const std::string& name) const;
  void apply_volumes();

  boost::asio::io_context& io_;
  PresentationClocks& clocks_;
  const bool publishes_;
  const bool hears_;
  std::vector<std::string> names_;
  const std::function<void(const media::VoiceState&)> on_voice_;
  qps::RoomClient* client_ = nullptr;
  std::int64_t next_item_ = 0;
  media::SoundRate rate_;
  DataRate rate_set_;
  SoundWindow window_;  // as the broker was told

  mutable std::mutex mutex_;  // guards the next five; held before the engine's
  std::map<int, Seat> seats_;
  std::map<std::string, HeardReport> heard_;  // of seats that have been emptied
  std::map<std::string, float> volumes_;
  float volume_of_all_ = 1;
  SoundReport report_;

  SoundPost post_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  std::unique_ptr<media::SoundEngine> engine_;  // last: its callbacks end first
};

}  // namespace qvid::app
