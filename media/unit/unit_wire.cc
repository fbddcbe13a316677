#include "media/unit/unit_wire.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/byte_io.h"

namespace qvid::media {
namespace {

constexpr std::uint8_t kHeaderKind = 0;
constexpr std::uint8_t kUnitKind = 1;
// Times beyond this many µs (35 years of uptime) would not fit a Timestamp's arithmetic.
constexpr std::uint64_t kMaxMicroseconds = std::uint64_t{1} << 50;

std::uint64_t to_wire(Timestamp t) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count());
}
Timestamp from_wire(std::uint64_t us) {
  return Timestamp(std::chrono::microseconds(static_cast<std::int64_t>(us)));
}

Payload join(const std::vector<std::byte>& head, const Payload& tail) {
  PayloadBuilder out(head.size() + tail.size());
  out.append(head);
  out.append(tail.bytes());
  return std::move(out).take();
}

Payload rest_of(const Payload& payload, const ByteReader& in) {
  return payload.slice(payload.size() - in.remaining(), in.remaining());
}

Payload serialise_header(const CodedFrame& frame) {
  std::vector<std::byte> head;
  ByteWriter out(head);
  out.u8(kHeaderKind);
  out.u64(to_wire(frame.captured));
  out.u64(to_wire(frame.due));
  out.u8(static_cast<std::uint8_t>(frame.units.size()));
  return join(head, frame.header);
}

Payload serialise_unit(const CodedUnit& unit) {
  std::vector<std::byte> head;
  ByteWriter out(head);
  out.u8(kUnitKind);
  out.u8(unit.layer);
  out.varint(static_cast<std::uint64_t>(unit.needed_for));
  out.u8(static_cast<std::uint8_t>(unit.depends_on.size()));
  for (const UnitDependency& d : unit.depends_on) {
    out.u8(d.frames_back);
    out.u8(d.unit);
  }
  return join(head, unit.data);
}

}  // namespace

std::uint64_t header_position(FrameNumber number) {
  return static_cast<std::uint64_t>(number.value()) * kPlacesPerFrame;
}
std::uint64_t unit_position(FrameNumber number, std::uint8_t layer) {
  return header_position(number) + 1 + layer;
}

WireFrame serialise(CodedFrame frame) {
  WireFrame wire{.frame = {}, .header = serialise_header(frame), .units = {}};
  for (const CodedUnit& unit : frame.units) wire.units.push_back(serialise_unit(unit));
  wire.frame = std::move(frame);
  return wire;
}

Result<FrameMessage> parse_frame_message(std::uint64_t position, const Payload& payload) {
  const std::uint64_t frame = position / kPlacesPerFrame;
  const std::uint64_t place = position % kPlacesPerFrame;
  if (frame > static_cast<std::uint64_t>(kMaxFrameNumber)) return Error{"an absurd frame number"};
  const FrameNumber number(static_cast<std::int64_t>(frame));
  ByteReader in(payload.bytes());
  switch (in.u8()) {
    case kHeaderKind: {
      FrameHeaderMessage header{.number = number, .codec_header = {}};
      const std::uint64_t captured = in.u64();
      const std::uint64_t due = in.u64();
      header.units = in.u8();
      if (in.failed() || place != 0) return Error{"a malformed frame header"};
      if (header.units > kMaxUnits) return Error{"a frame with too many units"};
      if (captured > kMaxMicroseconds || due > kMaxMicroseconds) return Error{"an absurd time"};
      header.captured = from_wire(captured);
      header.due = from_wire(due);
      header.codec_header = rest_of(payload, in);
      return FrameMessage(std::move(header));
    }
    case kUnitKind: {
      UnitMessage message{.number = number, .unit = {}};
      message.unit.layer = in.u8();
      const std::uint64_t needed_for = in.varint();
      const std::uint8_t dependencies = in.u8();
      if (in.failed() || message.unit.layer >= kMaxUnits || place != 1u + message.unit.layer ||
          dependencies > kMaxDependencies || needed_for > kMaxReferenceDistance * 256) {
        return Error{"a malformed unit"};
      }
      message.unit.needed_for = static_cast<std::int32_t>(needed_for);
      for (int i = 0; i < dependencies; ++i) {
        UnitDependency d;
        d.frames_back = in.u8();
        d.unit = in.u8();
        // Within a frame only on lower layers: no unit can wait for itself.
        if (d.unit >= kMaxUnits || (d.frames_back == 0 && d.unit >= message.unit.layer)) {
          return Error{"a unit with an impossible dependency"};
        }
        message.unit.depends_on.push_back(d);
      }
      if (in.failed()) return Error{"a malformed unit"};
      message.unit.data = rest_of(payload, in);
      return FrameMessage(std::move(message));
    }
    default: return Error{"neither a frame header nor a unit"};
  }
}

}  // namespace qvid::media
