#include "transport/wire/read_record.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/byte_io.h"
#include "base/text.h"

namespace paceline {
namespace {

using qvid::ByteReader;

// Streams are 32 bits in memory, so a larger number on the wire is malformed.
std::optional<StreamId> read_stream(ByteReader& in) {
  const std::uint64_t id = in.varint();
  if (id > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return StreamId(static_cast<std::uint32_t>(id));
}

ByteCount read_size(ByteReader& in) {
  return ByteCount(static_cast<std::int64_t>(
      std::min<std::uint64_t>(in.varint(), static_cast<std::uint64_t>(ByteCount::max().value()))));
}

template <std::size_t N>
void read_array(ByteReader& in, std::array<std::byte, N>& into) {
  const auto bytes = in.bytes(N);
  std::copy(bytes.begin(), bytes.end(), into.begin());
}

std::uint32_t read_u32(ByteReader& in) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(in.varint(), std::numeric_limits<std::uint32_t>::max()));
}

Limits read_limits(ByteReader& in) {
  Limits limits;
  limits.max_message = read_size(in);
  limits.max_reassembly = read_size(in);
  limits.max_streams = read_u32(in);
  return limits;
}

Duration read_duration(ByteReader& in) { return std::chrono::milliseconds(read_u32(in)); }

// What a greeting offers, one bit each, and the limit of what is sent to who says it; an older one
// says nothing.
template <class Greeting>
void read_features(ByteReader& in, Greeting& greeting) {
  const std::uint64_t features = in.remaining() > 0 ? in.varint() : 0;
  greeting.features = {.lanes = (features & kLanesFeature) != 0,
                       .datagrams = (features & kDatagramsFeature) != 0,
                       .parity = (features & kParityFeature) != 0,
                       .short_fragments = (features & kShortFragmentsFeature) != 0};
  const std::uint64_t limit = in.remaining() > 0 ? in.varint() : 0;
  greeting.receive_limit = qvid::DataRate::from_bps(
      static_cast<std::int64_t>(std::min<std::uint64_t>(limit, kMostReceiveLimit)));
}

Hello read_hello(ByteReader& in) {
  Hello hello;
  hello.limits = read_limits(in);
  hello.resume_limit = read_duration(in);
  read_features(in, hello);
  in.rest();  // room for later fields
  return hello;
}

Welcome read_welcome(ByteReader& in) {
  Welcome welcome;
  read_array(in, welcome.session);
  read_array(in, welcome.secret);
  welcome.limits = read_limits(in);
  welcome.resume_limit = read_duration(in);
  read_features(in, welcome);
  in.rest();
  return welcome;
}

Bind read_bind(ByteReader& in) {
  Bind bind;
  read_array(in, bind.session);
  bind.channel = read_u32(in);
  bind.segment = read_u32(in);
  read_array(in, bind.proof);
  in.rest();
  return bind;
}

std::optional<Record> read_chunk(std::uint8_t type, ByteReader& in) {
  Chunk c;
  const auto stream = read_stream(in);
  if (!stream) return std::nullopt;
  c.stream = *stream;
  c.number = in.varint();
  c.first = (type & kFirstChunkBit) != 0;
  c.last = (type & kLastChunkBit) != 0;
  if (c.first) {
    c.message_size = in.varint();
    c.importance = Importance(in.u8());
    c.position = Position(in.varint());
  } else {
    c.offset = in.varint();
  }
  if (in.failed()) return std::nullopt;
  c.bytes = in.rest();
  return c;
}

std::optional<Record> read_lane_message(ByteReader& in) {
  LaneMessage m;
  m.number = in.varint();
  const auto stream = read_stream(in);
  if (!stream) return std::nullopt;
  m.stream = *stream;
  m.importance = Importance(in.u8());
  m.position = Position(in.varint());
  if (in.failed()) return std::nullopt;
  m.bytes = in.rest();
  return m;
}

}  // namespace

bool is_known_record(std::uint8_t type) {
  const auto known = static_cast<RecordType>(type);
  return type < static_cast<std::uint8_t>(RecordType::kIgnorable) ||
         known == RecordType::kLaneMessage || known == RecordType::kLaneAck;
}

std::optional<Record> read_record(std::uint8_t type, std::span<const std::byte> body) {
  ByteReader in(body);
  std::optional<Record> record;
  switch (static_cast<RecordType>(type)) {
    case RecordType::kHello: record = read_hello(in); break;
    case RecordType::kWelcome: record = read_welcome(in); break;
    case RecordType::kBind: record = read_bind(in); break;
    case RecordType::kBound:
      in.rest();
      record = Bound{};
      break;
    case RecordType::kActivate: {
      Activate a;
      a.epoch = in.varint();
      a.next = in.varint();
      a.failover = in.u8() != 0;
      record = a;
      break;
    }
    case RecordType::kProbe: record = Probe{in.varint()}; break;
    case RecordType::kProbeReply: record = ProbeReply{in.varint()}; break;
    case RecordType::kSegments: record = Segments{read_u32(in)}; break;
    case RecordType::kClose: {
      Close c;
      // A code of a later version is still "the peer closed", as is what only this end can say.
      const std::uint64_t code = in.varint();
      if (code <= static_cast<std::uint64_t>(kLastCloseReason)) {
        c.reason = static_cast<CloseReason>(code);
      }
      if (c.reason == CloseReason::kLocal || c.reason == CloseReason::kConnectionLost ||
          c.reason == CloseReason::kUntrusted) {
        c.reason = CloseReason::kPeer;
      }
      const auto text = in.rest();
      c.detail.assign(reinterpret_cast<const char*>(text.data()),
                      std::min(text.size(), kMaxCloseDetail));
      c.detail = qvid::printable(std::move(c.detail));
      record = std::move(c);
      break;
    }
    case RecordType::kAck: record = Ack{in.varint()}; break;
    case RecordType::kPing: record = Ping{}; break;
    case RecordType::kCancel:
      if (const auto stream = read_stream(in)) record = Cancel{*stream, in.varint()};
      break;
    case RecordType::kStreamClose:
      if (const auto stream = read_stream(in)) record = StreamClose{*stream};
      break;
    case RecordType::kLaneMessage: record = read_lane_message(in); break;
    case RecordType::kLaneAck: record = LaneAck{in.varint()}; break;
    default:
      if ((type & ~(kFirstChunkBit | kLastChunkBit)) ==
          static_cast<std::uint8_t>(RecordType::kChunk)) {
        record = read_chunk(type, in);
      }
  }
  if (in.failed() || in.remaining() != 0) return std::nullopt;
  return record;
}

}  // namespace paceline
