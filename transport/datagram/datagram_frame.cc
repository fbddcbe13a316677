#include "transport/datagram/datagram_frame.h"

#include <algorithm>
#include <bit>

namespace paceline {
namespace {

qvid::ByteWriter begin(FrameType type, std::vector<std::byte>& out) {
  qvid::ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(type));
  return writer;
}

void write_fragment(const Fragment& f, int left_out, const Fragment* before, qvid::ByteWriter w) {
  const bool next = (left_out & kNextBit) != 0;
  if (!next) {
    w.varint(f.number);
    w.varint(f.stream.value());
  }
  w.u8(f.importance.value());
  w.varint(f.position.value() - (next ? before->position.value() : 0));
  if ((left_out & kWholeBit) == 0) {
    w.varint(f.size);
    w.varint(f.offset);
  }
  if ((left_out & kLastBit) == 0) w.varint(f.bytes.size());
  w.bytes(f.bytes);
}

}  // namespace

// RFC 9000 section 19.3.1: each range by its distance from the one before, since they touch nowhere.
void write_frame(const DatagramAck& ack, std::vector<std::byte>& out) {
  auto w = begin(FrameType::kAck, out);
  w.varint(ack.ranges[0].last);
  w.varint(ack.count - 1);
  w.varint(ack.ranges[0].last - ack.ranges[0].first);
  for (std::size_t i = 1; i < ack.count; ++i) {
    w.varint(ack.ranges[i - 1].first - ack.ranges[i].last - 2);
    w.varint(ack.ranges[i].last - ack.ranges[i].first);
  }
}

void write_frame(const Fragment& f, std::vector<std::byte>& out) {
  write_fragment(f, 0, nullptr, begin(FrameType::kFragment, out));
}

void write_short(const Fragment& f, const Fragment* before, bool last,
                 std::vector<std::byte>& out) {
  const bool next = before != nullptr && f.number == before->number + 1 &&
                    f.stream == before->stream && f.position >= before->position;
  const int left_out =
      (f.bytes.size() == f.size ? kWholeBit : 0) | (next ? kNextBit : 0) | (last ? kLastBit : 0);
  qvid::ByteWriter w(out);
  w.u8(static_cast<std::uint8_t>(static_cast<int>(FrameType::kShortFragment) | left_out));
  write_fragment(f, left_out, before, w);
}

void write_frame(const Parity& p, std::vector<std::byte>& out) {
  auto w = begin(FrameType::kParity, out);
  w.varint(p.first);
  w.varint(p.mask);
  w.u16(p.length);
  w.varint(p.bytes.size());
  w.bytes(p.bytes);
}

void write_frame(const DatagramRestored& r, std::vector<std::byte>& out) {
  begin(FrameType::kRestored, out).varint(r.number);
}

void write_frame(const PathChallenge& c, std::vector<std::byte>& out) {
  begin(FrameType::kPathChallenge, out).u64(c.token);
}

void write_frame(const PathResponse& r, std::vector<std::byte>& out) {
  begin(FrameType::kPathResponse, out).u64(r.token);
}

void write_frame(const DatagramPing&, std::vector<std::byte>& out) { begin(FrameType::kPing, out); }

DatagramFrame FrameReader::read_ack() {
  DatagramAck ack;
  const std::uint64_t largest = in_.varint();
  const std::uint64_t more = in_.varint();
  const std::uint64_t length = in_.varint();
  if (in_.failed() || more >= DatagramAck::kMost || length > largest) {
    return DatagramWrong{"an acknowledgement of nothing"};
  }
  ack.ranges[0] = {.first = largest - length, .last = largest};
  ack.count = 1;
  for (std::uint64_t i = 0; i < more; ++i) {
    const std::uint64_t gap = in_.varint();
    const std::uint64_t its = in_.varint();
    const std::uint64_t above = ack.ranges[ack.count - 1].first;
    if (in_.failed() || above < gap + 2 || above - gap - 2 < its) {
      return DatagramWrong{"an acknowledgement below zero"};
    }
    const std::uint64_t last = above - gap - 2;
    ack.ranges[ack.count++] = {.first = last - its, .last = last};
  }
  return ack;
}

DatagramFrame FrameReader::read_fragment(std::uint8_t left_out) {
  const bool next = (left_out & kNextBit) != 0;
  const bool whole = (left_out & kWholeBit) != 0;
  if (next && !before_) return DatagramWrong{"a fragment that comes behind none"};
  Fragment f;
  f.number = next ? before_->number + 1 : in_.varint();
  const std::uint64_t stream = next ? before_->stream.value() : in_.varint();
  f.importance = Importance(in_.u8());
  f.position = Position(in_.varint() + (next ? before_->position.value() : 0));
  f.size = whole ? 0 : in_.varint();
  f.offset = whole ? 0 : in_.varint();
  f.bytes = (left_out & kLastBit) != 0 ? in_.rest() : in_.bytes(in_.varint());
  if (whole) f.size = f.bytes.size();
  if (in_.failed() || stream > 0xffffffff) return DatagramWrong{"a fragment that is cut off"};
  if (std::max(f.number, f.position.value()) > qvid::kVarintMax) {
    return DatagramWrong{"a fragment behind the last number"};
  }
  f.stream = StreamId(static_cast<std::uint32_t>(stream));
  if (f.size > kMostInDatagrams) return DatagramWrong{"a fragment of too long a message"};
  if (f.offset > f.size || f.bytes.size() > f.size - f.offset) {
    return DatagramWrong{"a fragment beyond its message"};
  }
  if (f.bytes.empty() && f.size != 0) return DatagramWrong{"an empty fragment"};
  before_ = f;
  return f;
}

DatagramFrame FrameReader::read_parity() {
  Parity p;
  p.first = in_.varint();
  const std::uint64_t mask = in_.varint();
  p.length = in_.u16();
  p.bytes = in_.bytes(in_.varint());
  p.mask = static_cast<std::uint32_t>(mask);
  if (in_.failed() || p.bytes.empty()) return DatagramWrong{"a parity that is cut off"};
  if (mask > 0xffffffff || (mask & 1) == 0 || std::popcount(mask) < Parity::kLeastCovered) {
    return DatagramWrong{"a parity of nothing"};
  }
  return p;
}

DatagramFrame FrameReader::next() {
  if (in_.remaining() == 0) return DatagramEnd{};
  const std::uint8_t type = in_.u8();
  constexpr std::uint8_t kBits = kWholeBit | kNextBit | kLastBit;
  if ((type & ~kBits) == static_cast<int>(FrameType::kShortFragment)) {
    return read_fragment(type & kBits);
  }
  switch (static_cast<FrameType>(type)) {
    case FrameType::kPadding: in_.rest(); return DatagramEnd{};
    case FrameType::kPing: return DatagramPing{};
    case FrameType::kAck: return read_ack();
    case FrameType::kFragment: return read_fragment(0);
    case FrameType::kShortFragment: break;  // is read above
    case FrameType::kParity: return read_parity();
    case FrameType::kRestored: {
      const DatagramRestored restored{in_.varint()};
      if (in_.failed()) break;
      return restored;
    }
    case FrameType::kPathChallenge: {
      const PathChallenge challenge{in_.u64()};
      if (in_.failed()) break;
      return challenge;
    }
    case FrameType::kPathResponse: {
      const PathResponse response{in_.u64()};
      if (in_.failed()) break;
      return response;
    }
  }
  return DatagramWrong{"a frame that nobody knows"};
}

}  // namespace paceline
