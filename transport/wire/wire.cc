#include "transport/wire/wire.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/byte_io.h"
#include "base/text.h"

namespace paceline {
namespace {

using qvid::ByteReader;
using qvid::ByteWriter;
using qvid::varint_size;

constexpr std::uint8_t kFirstBit = 1;
constexpr std::uint8_t kLastBit = 2;
constexpr std::uint64_t kExpressFeature = 1;

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

void write_limits(const Limits& limits, ByteWriter& out) {
  out.varint(static_cast<std::uint64_t>(limits.max_message.value()));
  out.varint(static_cast<std::uint64_t>(limits.max_reassembly.value()));
  out.varint(limits.max_streams);
}

Duration read_duration(ByteReader& in) { return std::chrono::milliseconds(read_u32(in)); }

void write_duration(Duration d, ByteWriter& out) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  out.varint(static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(ms, 0, std::numeric_limits<std::uint32_t>::max())));
}

// What a greeting offers, one bit each; an older one says nothing.
bool read_express_feature(ByteReader& in) {
  const std::uint64_t features = in.remaining() > 0 ? in.varint() : 0;
  return (features & kExpressFeature) != 0;
}

Hello read_hello(ByteReader& in) {
  Hello hello;
  hello.limits = read_limits(in);
  hello.resume_limit = read_duration(in);
  hello.express = read_express_feature(in);
  in.rest();  // room for later fields
  return hello;
}

Welcome read_welcome(ByteReader& in) {
  Welcome welcome;
  read_array(in, welcome.session);
  read_array(in, welcome.secret);
  welcome.limits = read_limits(in);
  welcome.resume_limit = read_duration(in);
  welcome.express = read_express_feature(in);
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
  c.first = (type & kFirstBit) != 0;
  c.last = (type & kLastBit) != 0;
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

std::optional<Record> read_express(ByteReader& in) {
  ExpressMessage m;
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

bool is_known(std::uint8_t type) {
  const auto known = static_cast<RecordType>(type);
  return type < static_cast<std::uint8_t>(RecordType::kIgnorable) ||
         known == RecordType::kExpress || known == RecordType::kExpressAck;
}

// Empty: the body is not what the type says, or the type is unknown.
std::optional<Record> read_body(std::uint8_t type, std::span<const std::byte> body) {
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
    case RecordType::kExpress: record = read_express(in); break;
    case RecordType::kExpressAck: record = ExpressAck{in.varint()}; break;
    default:
      if ((type & ~(kFirstBit | kLastBit)) == static_cast<std::uint8_t>(RecordType::kChunk)) {
        record = read_chunk(type, in);
      }
  }
  if (in.failed() || in.remaining() != 0) return std::nullopt;
  return record;
}

// Writes a record whose body is what `body(ByteWriter&)` writes. Nearly all are shorter than 64
// bytes, so their length takes the one byte that is left for it.
template <class F>
void write_framed(RecordType type, std::vector<std::byte>& out, F&& body) {
  ByteWriter w(out);
  w.u8(static_cast<std::uint8_t>(type));
  const std::size_t length_at = out.size();
  w.u8(0);
  body(w);
  const std::size_t length = out.size() - length_at - 1;
  std::vector<std::byte> encoded;
  if (varint_size(length) == 1) {
    out[length_at] = static_cast<std::byte>(length);
    return;
  }
  ByteWriter(encoded).varint(length);
  out[length_at] = encoded.front();
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(length_at) + 1, encoded.begin() + 1,
             encoded.end());
}

}  // namespace

void write_preamble(std::vector<std::byte>& out) {
  ByteWriter w(out);
  w.bytes(std::as_bytes(std::span(kMagic)));
  w.u8(kWireVersion);
}

void write_chunk_header(const Chunk& c, std::vector<std::byte>& out) {
  const std::size_t fields =
      varint_size(c.stream.value()) + varint_size(c.number) +
      (c.first ? varint_size(c.message_size) + 1 + varint_size(c.position.value())
               : varint_size(c.offset));
  ByteWriter w(out);
  w.u8(static_cast<std::uint8_t>(static_cast<std::uint8_t>(RecordType::kChunk) |
                                 (c.first ? kFirstBit : 0) | (c.last ? kLastBit : 0)));
  w.varint(fields + c.bytes.size());
  w.varint(c.stream.value());
  w.varint(c.number);
  if (c.first) {
    w.varint(c.message_size);
    w.u8(c.importance.value());
    w.varint(c.position.value());
  } else {
    w.varint(c.offset);
  }
}

void write_express_header(const ExpressMessage& m, std::vector<std::byte>& out) {
  const std::size_t fields =
      varint_size(m.number) + varint_size(m.stream.value()) + 1 + varint_size(m.position.value());
  ByteWriter w(out);
  w.u8(static_cast<std::uint8_t>(RecordType::kExpress));
  w.varint(fields + m.bytes.size());
  w.varint(m.number);
  w.varint(m.stream.value());
  w.u8(m.importance.value());
  w.varint(m.position.value());
}

void write_record(const Record& record, std::vector<std::byte>& out) {
  struct Visitor {
    std::vector<std::byte>& out;

    void operator()(const Hello& r) const {
      write_framed(RecordType::kHello, out, [&](ByteWriter& w) {
        write_limits(r.limits, w);
        write_duration(r.resume_limit, w);
        w.varint(r.express ? kExpressFeature : 0);
      });
    }
    void operator()(const Welcome& r) const {
      write_framed(RecordType::kWelcome, out, [&](ByteWriter& w) {
        w.bytes(r.session);
        w.bytes(r.secret);
        write_limits(r.limits, w);
        write_duration(r.resume_limit, w);
        w.varint(r.express ? kExpressFeature : 0);
      });
    }
    void operator()(const Close& r) const {
      write_framed(RecordType::kClose, out, [&](ByteWriter& w) {
        w.varint(static_cast<std::uint64_t>(r.reason));
        const std::string_view text = std::string_view(r.detail).substr(0, kMaxCloseDetail);
        w.bytes(std::as_bytes(std::span(text)));
      });
    }
    void operator()(const Ack& r) const {
      write_framed(RecordType::kAck, out, [&](ByteWriter& w) { w.varint(r.next_expected); });
    }
    void operator()(const Ping&) const {
      write_framed(RecordType::kPing, out, [](ByteWriter&) {});
    }
    void operator()(const Cancel& r) const {
      write_framed(RecordType::kCancel, out, [&](ByteWriter& w) {
        w.varint(r.stream.value());
        w.varint(r.number);
      });
    }
    void operator()(const StreamClose& r) const {
      write_framed(RecordType::kStreamClose, out,
                   [&](ByteWriter& w) { w.varint(r.stream.value()); });
    }
    void operator()(const Bind& r) const {
      write_framed(RecordType::kBind, out, [&](ByteWriter& w) {
        w.bytes(r.session);
        w.varint(r.channel);
        w.varint(r.segment);
        w.bytes(r.proof);
      });
    }
    void operator()(const Bound&) const {
      write_framed(RecordType::kBound, out, [](ByteWriter&) {});
    }
    void operator()(const Activate& r) const {
      write_framed(RecordType::kActivate, out, [&](ByteWriter& w) {
        w.varint(r.epoch);
        w.varint(r.next);
        w.u8(r.failover ? 1 : 0);
      });
    }
    void operator()(const Probe& r) const {
      write_framed(RecordType::kProbe, out, [&](ByteWriter& w) { w.varint(r.id); });
    }
    void operator()(const ProbeReply& r) const {
      write_framed(RecordType::kProbeReply, out, [&](ByteWriter& w) { w.varint(r.id); });
    }
    void operator()(const Segments& r) const {
      write_framed(RecordType::kSegments, out, [&](ByteWriter& w) { w.varint(r.segment); });
    }
    void operator()(const Chunk& r) const {
      write_chunk_header(r, out);
      ByteWriter(out).bytes(r.bytes);
    }
    void operator()(const ExpressMessage& r) const {
      write_express_header(r, out);
      ByteWriter(out).bytes(r.bytes);
    }
    void operator()(const ExpressAck& r) const {
      write_framed(RecordType::kExpressAck, out, [&](ByteWriter& w) { w.varint(r.number); });
    }
  };
  std::visit(Visitor{out}, record);
}

void RecordParser::feed(std::span<const std::byte> bytes) {
  if (failed_) return;
  if (buffer_.empty()) {
    input_ = bytes;
    return;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  input_ = buffer_;
}

// Less than one record is left: it moves to the front of buffer_ until more comes.
void RecordParser::keep_rest() {
  if (buffer_.empty()) {
    buffer_.assign(input_.begin(), input_.end());
  } else {
    buffer_.erase(buffer_.begin(), buffer_.end() - static_cast<std::ptrdiff_t>(input_.size()));
  }
  input_ = {};
}

RecordParser::Step RecordParser::fail(CloseReason reason, std::string detail) {
  failed_ = true;
  failure_ = {reason, std::move(detail)};
  return failure_;
}

std::vector<std::byte> RecordParser::take_rest() {
  keep_rest();
  return std::exchange(buffer_, {});
}

RecordParser::Step RecordParser::next() {
  if (failed_) return failure_;
  Step step = parse_one();
  if (std::holds_alternative<NeedMore>(step)) keep_rest();
  return step;
}

RecordParser::Step RecordParser::parse_one() {
  if (!preamble_seen_) {
    const std::size_t have = std::min(input_.size(), kMagic.size());
    if (!std::equal(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(have),
                    std::as_bytes(std::span(kMagic)).begin())) {
      return fail(CloseReason::kNotPaceline, "the other end does not speak Paceline");
    }
    if (input_.size() < kPreambleSize) return NeedMore{};
    const auto version = std::to_integer<int>(input_[kMagic.size()]);
    if (version != kWireVersion) {
      return fail(CloseReason::kVersion, "the other end speaks version " + std::to_string(version) +
                                             " of the protocol, this one version " +
                                             std::to_string(kWireVersion));
    }
    input_ = input_.subspan(kPreambleSize);
    preamble_seen_ = true;
  }
  for (;;) {
    ByteReader in(input_);
    const std::uint8_t type = in.u8();
    const std::uint64_t length = in.varint();
    if (in.failed()) return NeedMore{};
    if (length > kMaxRecordBody) {
      return fail(CloseReason::kProtocolError,
                  "a record of " + std::to_string(length) + " bytes is longer than allowed");
    }
    if (in.remaining() < length) return NeedMore{};
    const auto body = in.bytes(static_cast<std::size_t>(length));
    input_ = in.rest();
    if (!is_known(type)) continue;
    auto record = read_body(type, body);
    if (!record) {
      return fail(CloseReason::kProtocolError,
                  "a malformed record of type " + std::to_string(type));
    }
    return std::move(*record);
  }
}

}  // namespace paceline
