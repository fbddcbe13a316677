// The wire format: records on a byte stream. docs/protocol.md has it as bit diagrams. Written by
// write_record.h, read by record_parser.h.
//
//   channel  := preamble record*                    in each direction of every socket of a session
//   preamble := "PACELINE" version:u8               version 2
//   record   := type:u8 length:varint body[length]
//
// Records of one direction that carry the session's content (chunk, cancel, stream close, ping) are
// numbered, implicitly: `activate` names the number of the first that follows it on its channel,
// and an ack names the next one expected. So content can go on over another socket at any record.
//
// Any bytes may come: a record's length is checked before its body is waited for, and a body that
// is not exactly what its type says is an error (a greeting may have more behind: room for later).
// Types from 0x40 up are ignored by who does not know them; unknown lower ones are errors. Lane
// messages are written to who says in its greeting that it knows them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "transport/wire/message.h"

namespace paceline {

inline constexpr std::string_view kMagic = "PACELINE";
inline constexpr std::uint8_t kWireVersion = 2;
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
  kBind = 0x08,
  kBound = 0x09,
  kActivate = 0x0a,
  kProbe = 0x0b,
  kProbeReply = 0x0c,
  kSegments = 0x0d,
  kChunk = 0x10,  // 0x10 .. 0x13: bit 0 = first chunk of its message, bit 1 = last
  kIgnorable = 0x40,
  kLaneMessage = 0x41,
  kLaneAck = 0x42,
};

// Of a chunk's type.
inline constexpr std::uint8_t kFirstChunkBit = 1;
inline constexpr std::uint8_t kLastChunkBit = 2;
// Of what a greeting offers.
inline constexpr std::uint64_t kLanesFeature = 1;
inline constexpr std::uint64_t kDatagramsFeature = 2;
inline constexpr std::uint64_t kParityFeature = 4;
inline constexpr std::uint64_t kShortFragmentsFeature = 8;
// Bits a second; a greeting that says more means this.
inline constexpr std::uint64_t kMostReceiveLimit = 1'000'000'000'000;

// Messages begun and incomplete at once: a sender begins no more, a receiver accepts no more.
inline constexpr std::size_t kMaxBegun = 4096;

// What an end accepts. Announced in both directions; each sender keeps to the other's.
struct Limits {
  ByteCount max_message = qvid::operator""_MiB(16);
  // Bytes of messages begun and not complete that the receiver is ready to hold.
  ByteCount max_reassembly = qvid::operator""_MiB(64);
  std::uint32_t max_streams = 1024;
};

// Names a session for ever; not secret.
using SessionId = std::array<std::byte, 16>;
// Known to the two ends only: whoever proves to have it may join a socket to the session.
using SessionSecret = std::array<std::byte, 32>;
// Proof of it (bind_proof.h).
using BindProof = std::array<std::byte, 16>;

// What an end offers to take. Of a program from before one of these, that is false.
struct Features {
  bool lanes = false;            // lane messages
  bool datagrams = false;        // content by UDP, of a server at the port of its TCP
  bool parity = false;           // parities there
  bool short_fragments = false;  // fragments there that leave out what follows from the datagram
};
// Client to server, the first record of a session's first channel.
struct Hello {
  Limits limits;
  Duration resume_limit{};  // how long it keeps a session that has no socket; in whole ms
  Features features{};
  qvid::DataRate receive_limit{};  // wants no more a second of content; zero: all there is
};
// The answer.
struct Welcome {
  SessionId session{};
  SessionSecret secret{};
  Limits limits;
  Duration resume_limit{};
  Features features{};
  qvid::DataRate receive_limit{};
};
// Client to server, the first record of any further channel: joins it to a session.
struct Bind {
  SessionId session{};
  std::uint32_t channel = 0;  // counted from 1 by the client, never used twice
  std::uint32_t segment = 0;  // the largest TCP segment, where the client has limited it
  BindProof proof{};
};
// The answer.
struct Bound {};
// Content of this direction goes on here: `epoch` counts the channels it has used, up from 1 (the
// failover counter, 000 section 4.3.1), and the next numbered record on this channel is number
// `next`.
struct Activate {
  std::uint64_t epoch = 0;
  std::uint64_t next = 0;
  bool failover = false;  // the channel before has failed; else a planned move
};
// Is the channel alive? Any time, on any channel.
struct Probe {
  std::uint64_t id = 0;
};
struct ProbeReply {
  std::uint64_t id = 0;
};
// Server to client: please have a standby with small segments; 0: no more. The client chooses their
// size.
struct Segments {
  std::uint32_t segment = 0;
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
// A whole message that does not keep its place: not numbered as other content is, on any channel,
// and, where it is urgent, on several (redundant_lanes.h, stripes.h).
struct LaneMessage {
  std::uint64_t number = 0;  // counted per direction
  StreamId stream;
  Importance importance;
  Position position;
  std::span<const std::byte> bytes;  // as a chunk's
};
// All lane messages that were written to this channel have come, up to this one.
struct LaneAck {
  std::uint64_t number = 0;
};
using Record = std::variant<Hello, Welcome, Close, Ack, Ping, Cancel, StreamClose, Bind, Bound,
                            Activate, Probe, ProbeReply, Segments, Chunk, LaneMessage, LaneAck>;

}  // namespace paceline
