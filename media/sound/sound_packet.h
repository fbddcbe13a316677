// A packet of sound as a message. docs/protocol.md has the format as a drawing.
//
//   packet := kind=2:u8 flags:u8 captured:u64 opus       captured in µs, the sender's clock,
//                                                        rounded down
//   flags  := 1: silence follows, until the next packet comes (discontinuous transmission)
//
// No number is in the payload: the message's position is the packet's number, counted from 0
// without gaps. So a gap in the numbers is a loss, and a gap in the times alone is silence.
// Duration and channels are Opus's own (RFC 6716, section 3.1).
//
// The parser takes any bytes; what is malformed is an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/payload.h"
#include "base/result.h"
#include "base/units.h"

namespace qvid::media {

// Urgent (transport/send/send_queue.h): no window holds it back. Below control messages.
inline constexpr std::uint8_t kSoundImportance = 254;
inline constexpr std::size_t kMaxOpusPacket = 1275;  // bytes; RFC 6716, section 3.2.1: one frame
inline constexpr Duration kMaxSoundPacket = std::chrono::milliseconds(60);

struct SoundPacket {
  Timestamp captured{};  // of its first frame, on the sender's clock, as frame headers have it
  Duration duration{};   // 2.5..60 ms
  bool last = false;     // silence follows
  Payload opus{};
};

Payload serialise(const SoundPacket& packet);
Result<SoundPacket> parse_sound_packet(const Payload& payload);
// How long the sound of an Opus packet is. Error: it is none, or one that no SoundPacket may hold.
Result<Duration> opus_duration(std::span<const std::byte> opus);

}  // namespace qvid::media
