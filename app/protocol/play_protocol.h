// What player and server say to each other beside the video: JSON messages on the session's first
// stream, of the highest importance. docs/protocol.md lists them with who sends which when.
//
//   player -> server   {"type":"play","name":"live","window":3}        (a file: "start_ms":0)
//                      {"type":"list","after":""}                      instead of play
//                      {"type":"pause"}   {"type":"resume"}
//                      {"type":"window","window":5}                    live
//                      {"type":"sound","on":true,"window_ms":500}      where sound was offered
//                      {"type":"seek","to_ms":61000}                   stored, as are these:
//                      {"type":"position","at_ms":60900,"buffered_ms":4100,"running":true}
//   server -> player   {"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":1}
//                      (a file: "duration_ms":7200000,"at_ms":0; with sound: "sound":2)
//                      {"type":"moved","stream":3,"sound":4,"at_ms":60000,"to_ms":61000}
//                      {"type":"status","ok":true,"text":"..."}   {"type":"refused","reason":"..."}
//                      {"type":"limited","reason":"..."}          {"type":"ended","reason":"..."}
//                      {"type":"files","files":[...],"more":false}
//
// Any text may come: parsers bound every field and give an Error for the rest. Unknown fields are
// left aside, unknown types are errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/live/adaptation_policy.h"

namespace qvid::app {

inline constexpr std::size_t kMaxControlMessage = 16 * 1024;

// Longest place in a stored video: a year.
inline constexpr Duration kMaxPlace = std::chrono::hours(24 * 366);
inline constexpr Duration kMaxSoundWindow = std::chrono::seconds(10);
inline constexpr std::size_t kMaxListed = 100;  // files in one message

struct PlayRequest {
  std::string name;
  int window = 3;    // transmit window in frames; of live video
  Duration start{};  // of stored video: the place to begin at
  media::Preference prefer = media::Preference::kMotion;  // what goes first on a narrow link
};
// What is served beside `live`: the files after that name, in the order of names.
struct ListRequest {
  std::string after;
};
// Nothing of this viewer is sent until it resumes.
struct Pause {};
struct Resume {};
struct SetWindow {
  int window = 3;  // frames
};
// Of the sound: whether it is wanted, and for how long after it was captured, and has crossed the
// path, a packet is of use.
struct SoundWanted {
  bool on = true;
  Duration window = std::chrono::milliseconds(500);  // 0..kMaxSoundWindow
};
struct Seek {
  Duration to{};
};
// Where a player of stored video is, a few times a second and when it changes: the server knows
// from it by when a frame is needed, and how far ahead it may send.
struct PlayerPosition {
  Duration at{};        // of the picture shown now
  Duration buffered{};  // how far beyond it the base is there without a gap
  bool running = true;  // false: paused, or waiting for data
};
using ClientMessage = std::variant<PlayRequest, ListRequest, Pause, Resume, SetWindow, SoundWanted,
                                   Seek, PlayerPosition>;

struct Playing {
  std::string codec;
  FrameRate rate;
  int window = 3;
  std::uint32_t stream = 0;                 // carries the video
  std::optional<std::uint32_t> sound = {};  // carries the sound; empty: there is none
  struct Stored {
    Duration duration{};  // zero: not known
    Duration at{};        // where it begins
  };
  std::optional<Stored> stored = {};  // empty: live
};
// Stored video goes on elsewhere, on a stream of its own; what was on the one before is void.
struct Moved {
  std::uint32_t stream = 0;
  std::optional<std::uint32_t> sound{};  // as in Playing
  Duration at{};                         // of the first frame that is sent: a synchronisation point
  Duration to{};                         // of the first that is to be seen
};
struct Refused {
  std::string reason;
};
struct Status {
  bool ok = true;    // the source is delivering
  std::string text;  // for a person
};
// The video is less than was asked for, and why; an empty reason: it is whole again.
struct Limited {
  std::string reason;
};
struct Ended {
  std::string reason;
};
struct ListedFile {
  std::string name;       // as in a URL's path
  std::int64_t size = 0;  // bytes
  Duration duration{};    // zero: not known
  int width = 0;          // pixels
  int height = 0;
  bool prepared = false;
};
struct Files {
  std::vector<ListedFile> files;
  bool more = false;  // ask again, after the last of them
};
using ServerMessage = std::variant<Playing, Moved, Refused, Status, Limited, Ended, Files>;

std::string serialise(const ClientMessage& message);
// Of Files, as many of the first as fit a message; `more` is then set.
std::string serialise(const ServerMessage& message);
Result<ClientMessage> parse_client_message(std::string_view text);
Result<ServerMessage> parse_server_message(std::string_view text);

}  // namespace qvid::app
