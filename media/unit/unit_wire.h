// A frame's header and units as messages. docs/protocol.md has the formats as drawings.
//
//   header := kind=0:u8 captured:u64 due:u64 units:u8 codec_header     times in µs, server's clock
//   unit   := kind=1:u8 layer:u8 needed_for:varint n:u8 n*(frames_back:u8 unit:u8) data
//
// `due` is one frame time before a live frame left (its output event, live_timeline.h): what
// encoding took is between that and `captured`. Of stored video it is the frame's place.
//
// No number of the frame is in the payload: it travels as the message's position, so that one
// payload is shared by viewers who each count frames for themselves. position = frame * 16 + place,
// place 0 for the header, 1 + layer for a unit: among equals of importance, older frames and
// headers go first.
//
// Parsers take any bytes; what is malformed is an Error.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/result.h"
#include "media/unit/coded_frame.h"

namespace qvid::media {

inline constexpr std::uint64_t kPlacesPerFrame = 16;
inline constexpr std::int64_t kMaxFrameNumber = std::int64_t{1} << 56;  // position fits a varint
inline constexpr std::size_t kMaxDependencies = 16;

struct FrameHeaderMessage {
  FrameNumber number;
  Timestamp captured{};  // on the sender's clock
  Timestamp due{};       // on the sender's clock
  std::uint8_t units = 0;
  Payload codec_header;
};
struct UnitMessage {
  FrameNumber number;
  CodedUnit unit;
};
using FrameMessage = std::variant<FrameHeaderMessage, UnitMessage>;

std::uint64_t header_position(FrameNumber number);
std::uint64_t unit_position(FrameNumber number, std::uint8_t layer);

// A frame ready to be sent: serialised once, shared by all viewers.
struct WireFrame {
  CodedFrame frame;
  Payload header;
  std::vector<Payload> units;  // by index as frame.units
};
WireFrame serialise(CodedFrame frame);
Result<FrameMessage> parse_frame_message(std::uint64_t position, const Payload& payload);

}  // namespace qvid::media
