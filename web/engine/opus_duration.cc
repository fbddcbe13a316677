// As media/sound/opus_duration.cc has it, without libopus: how long a packet is, its first bytes say
// (RFC 6716, section 3.1 and 3.2).
#include "media/sound/sound_block.h"
#include "media/sound/sound_packet.h"

namespace qvid::media {
namespace {

constexpr std::size_t kMostOpusFrames = 48;

// Of one frame, in samples at 48 kHz, by the number of the configuration (table 2).
int frame_samples(unsigned config) {
  constexpr int kSilk[] = {480, 960, 1920, 2880};
  constexpr int kCelt[] = {120, 240, 480, 960};
  if (config < 12) return kSilk[config % 4];
  if (config < 16) return kSilk[config % 2];
  return kCelt[config % 4];
}

}  // namespace

Result<Duration> opus_duration(std::span<const std::byte> opus) {
  if (opus.empty()) return Error{"an empty sound packet"};
  const auto toc = std::to_integer<unsigned>(opus[0]);
  int frames = 1;
  if ((toc & 3) == 3) {
    if (opus.size() < 2) return Error{"a sound packet that is not Opus"};
    frames = std::to_integer<int>(opus[1] & std::byte{63});
  } else if ((toc & 3) != 0) {
    frames = 2;
  }
  if (frames < 1 || opus.size() > kMostOpusFrames * (kMaxOpusPacket + 2)) {
    return Error{"a sound packet that is not Opus"};
  }
  const Duration duration = sound_time(std::int64_t{frames} * frame_samples(toc >> 3));
  if (duration > kMaxSoundPacket) return Error{"a sound packet that is too long"};
  return duration;
}

}  // namespace qvid::media
