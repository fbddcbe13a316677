// The wire format: records on a byte stream. docs/architecture.md has it as drawings.
//
//   connection := preamble record*                 in each direction
//   preamble   := "PACELINE" version:u8            version 1
//   record     := type:u8 length:varint body[length]
//
// Records of one direction that carry the session's content (chunk, cancel, stream close, ping) are
// numbered implicitly, from `first_sequence` of the greeting up; an ack names the next one
// expected. A session can therefore move to another socket by greeting with the sequence it goes on
// from.
//
// Any bytes may come: a record's length is checked before its body is waited for, and a body that
// is not exactly what its type says is an error (a greeting may have more behind: room for later).
// Types from 0x40 up are ignored by who does not know them; unknown lower ones are errors.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "transport/message.h"

namespace paceline {

inline constexpr std::string_view kMagic = "PACELINE";
inline constexpr std::uint8_t kWireVersion = 1;
inline constexpr std::size_t kPreambleSize = 9;

// Bounds of one record; larger ones are refused before they are read.
inline constexpr std::size_t kMaxRecordBody = 65536;
inline constexpr std::size_t kMaxCloseDetail = 512;
inline constexpr std::size_t kMaxRecordHeader = 5;  // type and a length of at most 4 bytes
// A chunk's fields before its bytes, at the most: stream, number, length | offset, importance,
// position.
inline constexpr std::size_t kMaxChunkFields = 8 + 8 + 8 + 1 + 8;

enum class RecordType : std::uint8_t {
  kHello = 0x01,
  kWelcome = 0x02,
  kClose = 0x03,
  kAck = 0x04,
  kPing = 0x05,
  kCancel = 0x06,
  kStreamClose = 0x07,
  kChunk = 0x10,  // 0x10 .. 0x13: bit 0 = first chunk of its message, bit 1 = last
  kIgnorable = 0x40,
};

// Which of the session's four one-way flows a socket carries (000 section 4.1). This version binds
// all four to one socket; others are refused by name, so that a later peer knows why.
enum Role : std::uint8_t {
  kClientData = 1,
  kClientAcks = 2,
  kServerData = 4,
  kServerAcks = 8,
  kAllRoles = 15,
};

// Messages begun and incomplete at once: a sender begins no more, a receiver accepts no more.
inline constexpr std::size_t kMaxBegun = 4096;

// What an end accepts. Announced in both directions; each sender keeps to the other's.
struct Limits {
  ByteCount max_message = qvid::operator""_MiB(16);
  // Bytes of messages begun and not complete that the receiver is ready to hold.
  ByteCount max_reassembly = qvid::operator""_MiB(64);
  std::uint32_t max_streams = 1024;
};

// Client to server (hello) and back (welcome): same fields.
struct Greeting {
  std::array<std::byte, 16> session{};  // zero in a hello that asks for a new session
  std::uint8_t roles = kAllRoles;
  std::uint64_t first_sequence = 0;
  Limits limits;
};
struct Hello {
  Greeting greeting;
};
struct Welcome {
  Greeting greeting;
};
struct Close {
  CloseReason reason = CloseReason::kPeer;
  std::string detail;  // as parsed: without control characters
};
struct Ack {
  std::uint64_t next_expected = 0;
};
struct Ping {};
struct Cancel {
  StreamId stream;
  std::uint64_t number = 0;
};
struct StreamClose {
  StreamId stream;
};
struct Chunk {
  StreamId stream;
  std::uint64_t number = 0;  // of the message, counted per stream and direction
  bool first = false;
  bool last = false;
  // In the first chunk:
  std::uint64_t message_size = 0;
  Importance importance;
  Position position;
  // In the others:
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;  // points into the parsed input
};
using Record = std::variant<Hello, Welcome, Close, Ack, Ping, Cancel, StreamClose, Chunk>;

// Serialisers append to `out`. A chunk's header leaves out its bytes, which the caller sends
// behind.
void write_preamble(std::vector<std::byte>& out);
void write_record(const Record& record, std::vector<std::byte>& out);
void write_chunk_header(const Chunk& chunk, std::vector<std::byte>& out);

// Takes the bytes of one direction of a connection as they come and gives its records.
//
// Holds at most one incomplete record. Records point into the parser's input and are valid until
// the next call of `feed` or `next`.
class RecordParser {
 public:
  // What next() found.
  struct NeedMore {};
  struct Failure {
    CloseReason reason;
    std::string detail;
  };
  using Step = std::variant<NeedMore, Record, Failure>;

  // Adds input. `bytes` must stay valid until next() has returned NeedMore.
  void feed(std::span<const std::byte> bytes);
  // The next record; NeedMore when the input is used up; Failure for ever after the first one.
  Step next();

 private:
  Step parse_one();
  Step fail(CloseReason reason, std::string detail);

  void keep_rest();

  std::vector<std::byte> buffer_;     // an incomplete record, and the input that came behind it
  std::span<const std::byte> input_;  // not parsed yet: in the caller's bytes, or in buffer_
  bool preamble_seen_ = false;
  bool failed_ = false;
  Failure failure_{};
};

}  // namespace paceline
