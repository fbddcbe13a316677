// Opus (RFC 6716) by libopus.
//
//   captured(packet) = captured of the first frame that went into it - lookahead of the encoder
//
// so that a decoded sample is presented at the instant at which it was captured: what is decoded is
// later than what was encoded by the lookahead (6.5 ms).
//
// Discontinuous: in silence libopus makes packets of one or two bytes, which mean "as before". The
// first of them is sent with `last`, then none, but every 400 ms a whole one that says how the
// noise of the room is now, with `last` too. Speech begins again with a packet without it.
//
// Thread: one at a time, each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "media/sound/sound_block.h"
#include "media/sound/sound_packet.h"

namespace qvid::media {

inline constexpr DataRate kLeastSoundRate = DataRate::from_kbps(16);
inline constexpr DataRate kMostSoundRate = DataRate::from_kbps(64);

// What may change while sound goes on.
struct SoundCoding {
  DataRate rate = DataRate::from_kbps(32);
  Duration packet = 20ms;  // 10, 20, 40 or 60 ms

  bool operator==(const SoundCoding&) const = default;
};

struct SoundEncoderOptions {
  int channels = 1;  // 1..kMostChannels
  SoundCoding coding{};
  bool voice = true;          // else: any sound (music, a film)
  bool discontinuous = true;  // silence is not sent
};

class SoundEncoder {
 public:
  // Error: options out of range.
  static Result<std::unique_ptr<SoundEncoder>> make(const SoundEncoderOptions& options);
  virtual ~SoundEncoder() = default;
  // Adds the packets that the block makes whole; what is left waits for the next block, unless that
  // does not follow it in time (more than a packet apart): then it begins anew. Blocks whose times
  // and lengths differ a little, as devices' clocks do, are followed smoothly. Stereo is mixed to
  // mono, and mono doubled, as the options have it. What is no number is silence.
  virtual void encode(const SoundBlock& block, std::vector<SoundPacket>& packets) = 0;
  // From the next packet on; shorter packets from the next silence or gap on, since libopus (1.3) makes a
  // crack of the first. The rate is held to kLeastSoundRate..kMostSoundRate; a length that no packet
  // has changes nothing.
  virtual void set_coding(const SoundCoding& coding) = 0;
};

class SoundDecoder {
 public:
  static Result<std::unique_ptr<SoundDecoder>> make();
  virtual ~SoundDecoder() = default;
  // The packet's frames, stereo. Whatever the bytes are: what cannot be decoded is concealed.
  virtual std::vector<float> decode(const SoundPacket& packet) = 0;
  // What might have come: so many frames (rounded up to a multiple of 120) in the place of a packet
  // that is late.
  virtual std::vector<float> conceal(std::size_t frames) = 0;
};

}  // namespace qvid::media
