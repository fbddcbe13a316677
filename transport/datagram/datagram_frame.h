// What is in a datagram: frames, one after the other. docs/protocol.md has them as bit diagrams.
//
// Any bytes may come (from a peer that has the keys): a frame that is not what its type says ends the
// datagram, and the session, as a breach of the protocol.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/byte_io.h"
#include "transport/wire/record.h"

namespace paceline {

enum class FrameType : std::uint8_t {
  kPadding = 0x00,  // to the datagram's end
  kPing = 0x01,     // is acknowledged, and nothing else
  kAck = 0x02,
  kFragment = 0x03,
  kPathChallenge = 0x04,  // answer this, from where you got it (RFC 9000 section 8.2)
  kPathResponse = 0x05,
  kParity = 0x06,  // this and the next to who says in its greeting that it takes parities
  kRestored = 0x07,
  // Up to 0x0f, to who says in its greeting that it takes them: a fragment without what follows from its
  // place. The bits behind 0x08 say what is left out.
  kShortFragment = 0x08,
};
// Size and offset: it is all of its message.
inline constexpr std::uint8_t kWholeBit = 1;
// Number and stream: they are one more than, and the same as, those of the fragment before it in the datagram,
// of whichever form. Its position is the distance from that one's.
inline constexpr std::uint8_t kNextBit = 2;
// Length: its bytes end the datagram.
inline constexpr std::uint8_t kLastBit = 4;

// The datagrams of these numbers have come, the newest first.
struct DatagramAck {
  static constexpr std::size_t kMost = 32;  // ranges
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Range&) const = default;
  };
  std::array<Range, kMost> ranges{};
  std::size_t count = 0;
};
// A part of a message that goes in any order: what a lane message has, and where the part belongs.
// At least one byte, but of a message that has none.
struct Fragment {
  std::uint64_t number = 0;  // of the message, as a lane message's
  StreamId stream;
  Importance importance;
  Position position;
  std::uint64_t size = 0;  // of the message
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;  // points into what was read
};
// Of the datagrams `first` + i for each bit i of `mask`, the lowest of which is set: the exclusive or of
// their frames, each followed by zeros, and of the frames' lengths (parity.h).
struct Parity {
  static constexpr int kLeastCovered = 2;
  std::uint64_t first = 0;
  std::uint32_t mask = 0;
  std::uint16_t length = 0;
  std::span<const std::byte> bytes;
};
// The datagram of that number has not come, and is there by a parity.
struct DatagramRestored {
  std::uint64_t number = 0;
};
struct DatagramPing {};
struct PathChallenge {
  std::uint64_t token = 0;
};
struct PathResponse {
  std::uint64_t token = 0;
};
struct DatagramEnd {};
struct DatagramWrong {
  const char* what;
};
using DatagramFrame = std::variant<DatagramEnd, DatagramWrong, DatagramPing, DatagramAck, Fragment,
                                   Parity, DatagramRestored, PathChallenge, PathResponse>;

// Messages over this go another way: a lost part of a long one holds up too much.
// Where the path fails it becomes one record of a channel.
inline constexpr std::size_t kMostInDatagrams = kMaxRecordBody - 64;
// A parity's fields before its bytes, at the most.
inline constexpr std::size_t kMostParityFields = 1 + 8 + 8 + 2 + 4;
// A fragment's fields before its bytes, at the most.
inline constexpr std::size_t kMostFragmentFields = 1 + 8 + 4 + 1 + 8 + 4 + 4 + 4;

void write_frame(const DatagramAck& ack, std::vector<std::byte>& out);
void write_frame(const Fragment& fragment, std::vector<std::byte>& out);
// As short as it can be. `before`: the fragment before it in the datagram, if there is one; `last`: nothing
// comes behind it, not even padding.
void write_short(const Fragment& fragment, const Fragment* before, bool last,
                 std::vector<std::byte>& out);
void write_frame(const Parity& parity, std::vector<std::byte>& out);
void write_frame(const DatagramRestored& restored, std::vector<std::byte>& out);
void write_frame(const PathChallenge& challenge, std::vector<std::byte>& out);
void write_frame(const PathResponse& response, std::vector<std::byte>& out);
void write_frame(const DatagramPing& ping, std::vector<std::byte>& out);

class FrameReader {
 public:
  explicit FrameReader(std::span<const std::byte> frames) : in_(frames) {}
  // The next one; DatagramEnd or DatagramWrong is the last.
  DatagramFrame next();

 private:
  DatagramFrame read_ack();
  // `left_out`: the bits of a short one.
  DatagramFrame read_fragment(std::uint8_t left_out);
  DatagramFrame read_parity();

  qvid::ByteReader in_;
  std::optional<Fragment> before_;  // the fragment that was read last
};

}  // namespace paceline
