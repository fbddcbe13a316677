// What a party of a room knows of the room and of itself: for its window and its report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/reception/reception.h"
#include "app/reception/volume.h"
#include "app/room/shown_heights.h"
#include "media/sound/sound_engine.h"
#include "transport/session/signals.h"

namespace qvid::app {

// What a member says of its own voice, by attributes.
struct MemberVoice {
  media::VoiceState state;
  bool muted = false;
};

// Another who is in the room, whether it is shown or not, and what it publishes.
struct MemberReport {
  bool picture = false;
  bool shares = false;
  bool records = false;
  std::optional<MemberVoice> voice;     // empty: no sound
  std::vector<std::string> decodes;     // names of codecs
  std::optional<ShownHeights> heights;  // empty: it does not say
  std::int64_t hand = 0;                // the least was raised first; 0: it is down
  bool held = false;                    // its sound goes to nobody: who runs the room wants it so

  // Rather than only watch or record.
  bool takes_part() const { return picture || shares || voice; }
};

// How the room is kept in order, as far as oneself is concerned.
struct OrderReport {
  bool hands = false;  // the broker knows of them
  std::int64_t own_hand = 0;
  bool held = false;       // one's own sound
  bool moderates = false;  // one may hold, remove and lock
  bool locked = false;
};

struct SeatReport {
  int seat = 0;
  std::string name;
  media::PlaybackStats playback;
  std::int64_t switches = 0;
  Duration longest_switch{};  // between the last picture of one and the first of the next
};

// All that was shown of somebody, in whatever seats, also of who has left.
struct SeenReport {
  std::int64_t shown = 0;  // frames
  std::int64_t lost = 0;
  std::int64_t full = 0;  // of those shown, with all layers
  Duration longest_gap{};
};
using SeenReports = std::map<std::string, SeenReport>;  // by name

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
  bool microphone = false;
  bool muted = false;
  bool shared = false;  // what other programs play goes along
  std::int64_t packets_sent = 0;
  std::int64_t packets_dropped = 0;  // not taken in time, by the network thread or by the session
  std::int64_t packets_late = 0;     // cancelled on the way to the broker
  DataRate rate;
  Duration packet{};  // of the latest
};

struct PartyReport {
  std::string status;                           // what is wrong now; empty: nothing
  bool joined = false;                          // it is in the room
  bool has_joined = false;                      // it has been, ever
  std::map<std::string, MemberReport> members;  // by name
  OrderReport order;
  std::vector<SeatReport> seats;
  SeenReports seen;
  std::vector<SeatReport> shares_seen;    // seats of what others share
  std::optional<SoundReport> sound;       // empty: none is sent or heard
  std::map<std::string, Volume> volumes;  // of those for whom it was changed
  Volume volume_of_all;
  bool shares = false;        // oneself
  bool share_frozen = false;  // what is shared
  std::string camera_fault;   // why its source gives no picture now; empty: it does
  std::int64_t frames_published = 0;
  std::int64_t frames_shared = 0;
  std::int64_t reconnections = 0;
  paceline::SessionSignals network;
};

}  // namespace qvid::app
