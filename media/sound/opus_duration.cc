// By libopus; a build without it (web/engine/) brings its own.
#include <opus.h>

#include "media/sound/sound_block.h"
#include "media/sound/sound_packet.h"

namespace qvid::media {
namespace {

// Most frames of an Opus packet, and bytes of lengths that go with each of them.
constexpr std::size_t kMostOpusFrames = 48;
constexpr std::size_t kOpusFrameLength = 2;

}  // namespace

Result<Duration> opus_duration(std::span<const std::byte> opus) {
  if (opus.empty()) return Error{"an empty sound packet"};
  if (opus.size() > kMostOpusFrames * (kMaxOpusPacket + kOpusFrameLength)) {
    return Error{"a sound packet that is too large"};
  }
  const auto* data = reinterpret_cast<const unsigned char*>(opus.data());
  const auto size = static_cast<opus_int32>(opus.size());
  opus_int16 sizes[kMostOpusFrames];
  const int frames = opus_packet_parse(data, size, nullptr, nullptr, sizes, nullptr);
  if (frames <= 0) return Error{"a sound packet that is not Opus"};
  const Duration duration = sound_time(opus_packet_get_nb_samples(data, size, kSoundRate));
  if (duration <= Duration::zero() || duration > kMaxSoundPacket) {
    return Error{"a sound packet that is too long"};
  }
  // The rest is padding, which nobody needs.
  const std::size_t head = 2 + static_cast<std::size_t>(frames) * kOpusFrameLength;
  if (opus.size() > static_cast<std::size_t>(frames) * kMaxOpusPacket + head) {
    return Error{"a sound packet that is too large"};
  }
  return duration;
}

}  // namespace qvid::media
