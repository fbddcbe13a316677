// Any bytes as a packet of sound: refused, or one that is written again as it was read, and that
// the decoder makes as many frames of as it says.
//
// Input: packets, each as  size:u16  data; one decoder takes all of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/byte_io.h"
#include "media/sound/sound_block.h"
#include "media/sound/sound_codec.h"
#include "media/sound/sound_packet.h"

namespace {

using namespace qvid;
using namespace qvid::media;

constexpr int kMostPackets = 50;

void decode(SoundDecoder& decoder, const SoundPacket& packet) {
  const std::vector<float> frames = decoder.decode(packet);
  if (frames.size() != 2 * static_cast<std::size_t>(sound_frames(packet.duration))) std::abort();
  for (const float sample : frames) {
    if (!std::isfinite(sample)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader in(std::as_bytes(std::span(data, size)));
  const auto decoder = SoundDecoder::make();
  if (!decoder) std::abort();
  for (int i = 0; i < kMostPackets && in.remaining() > 0; ++i) {
    const std::size_t bytes = in.u16();
    const Payload payload = Payload::copy_of(in.bytes(std::min(bytes, in.remaining())));
    const auto packet = parse_sound_packet(payload);
    if (!packet) {
      // As if a lower layer had let it pass.
      SoundPacket wild{.duration = 20ms, .opus = payload};
      (*decoder)->decode(wild);
      continue;
    }
    if (packet->duration <= Duration::zero() || packet->duration > kMaxSoundPacket) std::abort();
    const Payload again = serialise(*packet);
    if (!std::ranges::equal(again.bytes(), payload.bytes())) std::abort();
    decode(**decoder, *packet);
  }
  return 0;
}
