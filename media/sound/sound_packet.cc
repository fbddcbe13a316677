#include "media/sound/sound_packet.h"

#include <opus.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/byte_io.h"
#include "media/sound/sound_block.h"

namespace qvid::media {
namespace {

constexpr std::uint8_t kSoundKind = 2;
constexpr std::uint8_t kLastFlag = 1;
// Times beyond this many µs (35 years of uptime) would not fit a Timestamp's arithmetic.
constexpr std::uint64_t kLatestCaptured = std::uint64_t{1} << 50;
// Most frames of an Opus packet, and bytes of lengths that go with each of them.
constexpr std::size_t kMostOpusFrames = 48;
constexpr std::size_t kOpusFrameLength = 2;

}  // namespace

Payload serialise(const SoundPacket& packet) {
  const auto captured = std::chrono::floor<std::chrono::microseconds>(packet.captured);
  std::vector<std::byte> head;
  ByteWriter out(head);
  out.u8(kSoundKind);
  out.u8(packet.last ? kLastFlag : 0);
  out.u64(
      static_cast<std::uint64_t>(std::max<std::int64_t>(captured.time_since_epoch().count(), 0)));
  PayloadBuilder whole(head.size() + packet.opus.size());
  whole.append(head);
  whole.append(packet.opus.bytes());
  return std::move(whole).take();
}

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

Result<SoundPacket> parse_sound_packet(const Payload& payload) {
  ByteReader in(payload.bytes());
  const std::uint8_t kind = in.u8();
  const std::uint8_t flags = in.u8();
  const std::uint64_t captured = in.u64();
  if (in.failed()) return Error{"a sound packet that is cut short"};
  if (kind != kSoundKind) return Error{"no sound packet"};
  if ((flags & ~unsigned{kLastFlag}) != 0) return Error{"a sound packet with unknown flags"};
  if (captured > kLatestCaptured) return Error{"a sound packet of an absurd time"};
  SoundPacket packet;
  packet.captured = Timestamp(std::chrono::microseconds(static_cast<std::int64_t>(captured)));
  packet.last = (flags & kLastFlag) != 0;
  packet.opus = payload.slice(payload.size() - in.remaining(), in.remaining());
  const Result<Duration> duration = opus_duration(packet.opus.bytes());
  if (!duration) return duration.error();
  packet.duration = *duration;
  return packet;
}

}  // namespace qvid::media
