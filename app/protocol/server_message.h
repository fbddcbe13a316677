// What the server says to a player:
//
//   {"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":1}
//   (a file: "duration_ms":7200000,"at_ms":0; with sound: "sound":2; with previews: "previews":3;
//    where LayersWanted is heard: "layers":true)
//   {"type":"moved","stream":3,"sound":4,"at_ms":60000,"to_ms":61000}
//   {"type":"status","ok":true,"text":"..."}   {"type":"refused","reason":"..."}
//   {"type":"limited","reason":"..."}          {"type":"ended","reason":"..."}
//   {"type":"measuring","stream":5,...}        pubsub/wire/measure.h
//   {"type":"files","files":[...],"more":false}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/protocol/play_limits.h"
#include "base/result.h"
#include "base/units.h"
#include "pubsub/wire/measure.h"

namespace qvid::app {

struct StoredPlace {
  Duration duration{};  // zero: not known
  Duration at{};        // where it begins
};
struct Playing {
  std::string codec;
  FrameRate rate;
  int window = 3;
  std::uint32_t stream = 0;                    // carries the video
  std::optional<std::uint32_t> sound = {};     // carries the sound; empty: there is none
  std::optional<std::uint32_t> previews = {};  // carries what PreviewWanted asks for; empty: none
  std::optional<StoredPlace> stored = {};      // empty: live
  bool layers = false;                         // it hears LayersWanted
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
using ServerMessage =
    std::variant<Playing, Moved, Refused, Status, Limited, Ended, Files, qps::Measuring>;

// Of Files, as many of the first as fit a message; `more` is then set.
std::string serialise(const ServerMessage& message);
Result<ServerMessage> parse_server_message(std::string_view text);

}  // namespace qvid::app
