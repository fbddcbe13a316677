#include "media/sound/sound_packet.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/byte_io.h"

namespace qvid::media {
namespace {

constexpr std::uint8_t kSoundKind = 2;
constexpr std::uint8_t kLastFlag = 1;
// Times beyond this many µs (35 years of uptime) would not fit a Timestamp's arithmetic.
constexpr std::uint64_t kLatestCaptured = std::uint64_t{1} << 50;

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
