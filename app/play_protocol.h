// What player and server say to each other beside the video: JSON messages on the session's first
// stream, of the highest importance. docs/protocol.md lists them.
//
//   player -> server   {"type":"play","name":"live","window":3}
//   server -> player   {"type":"playing","codec":"h264","rate":[30,1],"window":3,"stream":1}
//                      {"type":"status","ok":true,"text":"..."}   {"type":"refused","reason":"..."}
//                      {"type":"ended","reason":"..."}
//
// Any text may come: parsers bound every field and give an Error for the rest. Unknown fields are
// left aside, unknown types are errors.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/units.h"

namespace qvid::app {

inline constexpr std::size_t kMaxControlMessage = 16 * 1024;

struct PlayRequest {
  std::string name;
  int window = 3;  // transmit window in frames
};

struct Playing {
  std::string codec;
  FrameRate rate;
  int window = 3;
  std::uint32_t stream = 0;  // carries the video
};
struct Refused {
  std::string reason;
};
struct Status {
  bool ok = true;    // the source is delivering
  std::string text;  // for a person
};
struct Ended {
  std::string reason;
};
using ServerMessage = std::variant<Playing, Refused, Status, Ended>;

std::string serialise(const PlayRequest& request);
std::string serialise(const ServerMessage& message);
Result<PlayRequest> parse_play_request(std::string_view text);
Result<ServerMessage> parse_server_message(std::string_view text);

}  // namespace qvid::app
