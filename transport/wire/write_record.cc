#include "transport/wire/write_record.h"

#include <algorithm>
#include <limits>

#include "base/byte_io.h"

namespace paceline {
namespace {

using qvid::ByteWriter;
using qvid::varint_size;

void write_limits(const Limits& limits, ByteWriter& out) {
  out.varint(static_cast<std::uint64_t>(limits.max_message.value()));
  out.varint(static_cast<std::uint64_t>(limits.max_reassembly.value()));
  out.varint(limits.max_streams);
}

void write_duration(Duration d, ByteWriter& out) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  out.varint(static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(ms, 0, std::numeric_limits<std::uint32_t>::max())));
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
                                 (c.first ? kFirstChunkBit : 0) | (c.last ? kLastChunkBit : 0)));
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

void write_lane_header(const LaneMessage& m, std::vector<std::byte>& out) {
  const std::size_t fields =
      varint_size(m.number) + varint_size(m.stream.value()) + 1 + varint_size(m.position.value());
  ByteWriter w(out);
  w.u8(static_cast<std::uint8_t>(RecordType::kLaneMessage));
  w.varint(fields + m.bytes.size());
  w.varint(m.number);
  w.varint(m.stream.value());
  w.u8(m.importance.value());
  w.varint(m.position.value());
}

template <class Greeting>
void write_features(const Greeting& greeting, ByteWriter& w) {
  const Features& f = greeting.features;
  w.varint((f.lanes ? kLanesFeature : 0) | (f.datagrams ? kDatagramsFeature : 0) |
           (f.parity ? kParityFeature : 0) | (f.short_fragments ? kShortFragmentsFeature : 0));
  w.varint(static_cast<std::uint64_t>(greeting.receive_limit.bps()));
}

void write_record(const Record& record, std::vector<std::byte>& out) {
  struct Visitor {
    std::vector<std::byte>& out;

    void operator()(const Hello& r) const {
      write_framed(RecordType::kHello, out, [&](ByteWriter& w) {
        write_limits(r.limits, w);
        write_duration(r.resume_limit, w);
        write_features(r, w);
      });
    }
    void operator()(const Welcome& r) const {
      write_framed(RecordType::kWelcome, out, [&](ByteWriter& w) {
        w.bytes(r.session);
        w.bytes(r.secret);
        write_limits(r.limits, w);
        write_duration(r.resume_limit, w);
        write_features(r, w);
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
    void operator()(const LaneMessage& r) const {
      write_lane_header(r, out);
      ByteWriter(out).bytes(r.bytes);
    }
    void operator()(const LaneAck& r) const {
      write_framed(RecordType::kLaneAck, out, [&](ByteWriter& w) { w.varint(r.number); });
    }
  };
  std::visit(Visitor{out}, record);
}

}  // namespace paceline
