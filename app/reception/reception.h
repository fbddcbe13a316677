// Receiving a party: its picture and its sound, whatever brings them.
//
//   Player: a session           ---> LiveReception or StoredReception
//   a seat of a room (picture)  ---> LiveReception, and one for the seat of its sound: the two
//   a seat of a room (sound)    --->   find each other by a clock (presentation_clocks.h)
//
// Who has the connection hands in what is announced, its messages and what the path is like.
// Pictures come out on decode threads; sound is played by the program's engine, at a volume. What
// was counted outlives a lost connection.
//
// Thread: one, but for `report`: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/payload.h"
#include "base/result.h"
#include "base/units.h"
#include "media/playout/playback_stats.h"
#include "media/sound/sound_playout_stats.h"
#include "media/stored/stored_playback.h"

namespace qvid::app {

struct PictureFormat {
  FrameRate rate;
  std::string codec;
  int window = 0;  // of live video, in frames: from when one is coded until it must have gone out
};

// What a sender announces.
struct Content {
  std::optional<PictureFormat> picture{};
  bool sound = false;
  Duration duration{};  // of stored video; zero: not known
};

struct StoredReport {
  Duration duration{};  // zero: not known
  media::StoredPlaybackStats now;
};
struct ReceptionReport {
  media::PlaybackStats playback;       // summed over lost connections where it counts
  std::optional<StoredReport> stored;  // empty: live
  struct Sound {
    media::SoundPlayoutStats playout;
    std::optional<Duration> sync_error;  // of the picture; positive: the picture is late
  };
  std::optional<Sound> sound;  // empty: there is none
  FrameRate rate;
  int window = 0;  // transmit window in frames, of live video
};

// What stored video has and live video has not.
class Places {
 public:
  struct Now {
    Duration place{};
    Duration buffered{};
    bool runs = false;
    bool moving = false;    // on the way to a place, whose pictures have not come
    bool finished = false;  // the last picture has been shown
    double speed = 1;
  };
  virtual ~Places() = default;
  virtual Now now() const = 0;
  // The place next to `wanted` that there is.
  virtual Duration within(Duration wanted) const = 0;
  // The viewer wants to be there: what comes until begin() is of no use any more.
  virtual void seek(Duration to, Timestamp now) = 0;
  // Messages are of a seek epoch that begins now; `to` is the first place to be seen.
  virtual void begin(Duration to, bool sound, Timestamp now) = 0;
  // Of the video a second, as media::kPlaySpeeds; it stays over seeks.
  virtual void set_speed(double speed, Timestamp now) = 0;
};

class Reception {
 public:
  virtual ~Reception() = default;

  // The messages of this follow, at first or anew on another connection. Error: it cannot be played
  // here, and nothing is.
  virtual std::optional<Error> begin(const Content& content) = 0;
  // What is malformed is counted and left.
  virtual void on_picture(std::uint64_t position, const Payload& message, Timestamp arrival) = 0;
  virtual void on_sound(std::uint64_t position, const Payload& message, Timestamp arrival) = 0;
  // All there is has come. After how long the last of it has been shown; empty: Places say when.
  virtual std::optional<Duration> complete(Timestamp now) = 0;
  // The connection is gone. True: all there is had come, and is played on.
  virtual bool lost(Timestamp now) = 0;
  // Nothing is played any more; the report stays.
  virtual void stop() = 0;

  // True: time stands still here by that, and the sender goes on; false: the sender has to.
  virtual bool pause(bool on, Timestamp now) = 0;
  // Packets of sound may be that much late (late_sound.h); the round trip with empty queues.
  virtual void on_path(Duration late, Duration least_round_trip) = 0;

  virtual bool plays_sound() const = 0;
  // For how long packets of sound are of use; zero: not known (sound_window.h).
  virtual Duration sound_needs() const = 0;
  virtual void set_volume(float volume) = 0;  // 0..4; also of sound that begins later

  // Null: it is live.
  virtual Places* places() = 0;
  virtual ReceptionReport report() const = 0;
};

}  // namespace qvid::app
