#include "transport/wire.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/byte_io.h"
#include "base/text.h"

namespace paceline {
namespace {

using qvid::ByteReader;
using qvid::ByteWriter;
using qvid::varint_size;

constexpr std::uint8_t kFirstBit = 1;
constexpr std::uint8_t kLastBit = 2;

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

Greeting read_greeting(ByteReader& in) {
  Greeting g;
  const auto id = in.bytes(g.session.size());
  std::copy(id.begin(), id.end(), g.session.begin());
  g.roles = in.u8();
  g.first_sequence = in.varint();
  g.limits.max_message = read_size(in);
  g.limits.max_reassembly = read_size(in);
  g.limits.max_streams = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(in.varint(), std::numeric_limits<std::uint32_t>::max()));
  in.rest();  // room for later fields
  return g;
}

void write_greeting(const Greeting& g, std::vector<std::byte>& body) {
  ByteWriter out(body);
  out.bytes(g.session);
  out.u8(g.roles);
  out.varint(g.first_sequence);
  out.varint(static_cast<std::uint64_t>(g.limits.max_message.value()));
  out.varint(static_cast<std::uint64_t>(g.limits.max_reassembly.value()));
  out.varint(g.limits.max_streams);
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

// Empty: the body is not what the type says, or the type is unknown.
std::optional<Record> read_body(std::uint8_t type, std::span<const std::byte> body) {
  ByteReader in(body);
  std::optional<Record> record;
  switch (static_cast<RecordType>(type)) {
    case RecordType::kHello: record = Hello{read_greeting(in)}; break;
    case RecordType::kWelcome: record = Welcome{read_greeting(in)}; break;
    case RecordType::kClose: {
      Close c;
      // A code of a later version is still "the peer closed".
      const std::uint64_t code = in.varint();
      c.reason = code <= static_cast<std::uint64_t>(CloseReason::kConnectionLost)
                     ? static_cast<CloseReason>(code)
                     : CloseReason::kPeer;
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
    default:
      if ((type & ~(kFirstBit | kLastBit)) == static_cast<std::uint8_t>(RecordType::kChunk)) {
        record = read_chunk(type, in);
      }
  }
  if (in.failed() || in.remaining() != 0) return std::nullopt;
  return record;
}

void write_framed(RecordType type, std::span<const std::byte> body, std::vector<std::byte>& out) {
  ByteWriter w(out);
  w.u8(static_cast<std::uint8_t>(type));
  w.varint(body.size());
  w.bytes(body);
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

void write_record(const Record& record, std::vector<std::byte>& out) {
  std::vector<std::byte> body;
  ByteWriter w(body);
  struct Visitor {
    std::vector<std::byte>& body;
    ByteWriter& w;
    std::vector<std::byte>& out;

    void operator()(const Hello& r) const {
      write_greeting(r.greeting, body);
      write_framed(RecordType::kHello, body, out);
    }
    void operator()(const Welcome& r) const {
      write_greeting(r.greeting, body);
      write_framed(RecordType::kWelcome, body, out);
    }
    void operator()(const Close& r) const {
      w.varint(static_cast<std::uint64_t>(r.reason));
      const std::string_view text = std::string_view(r.detail).substr(0, kMaxCloseDetail);
      w.bytes(std::as_bytes(std::span(text)));
      write_framed(RecordType::kClose, body, out);
    }
    void operator()(const Ack& r) const {
      w.varint(r.next_expected);
      write_framed(RecordType::kAck, body, out);
    }
    void operator()(const Ping&) const { write_framed(RecordType::kPing, body, out); }
    void operator()(const Cancel& r) const {
      w.varint(r.stream.value());
      w.varint(r.number);
      write_framed(RecordType::kCancel, body, out);
    }
    void operator()(const StreamClose& r) const {
      w.varint(r.stream.value());
      write_framed(RecordType::kStreamClose, body, out);
    }
    void operator()(const Chunk& r) const {
      write_chunk_header(r, out);
      ByteWriter(out).bytes(r.bytes);
    }
  };
  std::visit(Visitor{body, w, out}, record);
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
    if (type >= static_cast<std::uint8_t>(RecordType::kIgnorable)) continue;
    auto record = read_body(type, body);
    if (!record) {
      return fail(CloseReason::kProtocolError,
                  "a malformed record of type " + std::to_string(type));
    }
    return std::move(*record);
  }
}

}  // namespace paceline
