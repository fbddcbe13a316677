// Records come back the same however the bytes are cut; what is not the protocol is refused, and
// refused before memory is taken for it.
#include "transport/wire/record.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_io.h"
#include "transport/wire/record_parser.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

using Bytes = std::vector<std::byte>;
using qvid::ByteWriter;
using qvid::operator""h;
using qvid::operator""ms;
using qvid::operator""s;
using qvid::operator""us;

Bytes encode(const Record& record) {
  Bytes out;
  write_record(record, out);
  return out;
}

Bytes preamble() {
  Bytes out;
  write_preamble(out);
  return out;
}

Bytes bytes_of(std::string_view text) {
  const auto b = std::as_bytes(std::span(text));
  return {b.begin(), b.end()};
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A record with a body of our choice.
Bytes framed(std::uint8_t type, const Bytes& body) {
  Bytes out;
  ByteWriter w(out);
  w.u8(type);
  w.varint(body.size());
  w.bytes(body);
  return out;
}

struct Parsed {
  std::vector<Bytes> records;  // serialised again
  std::optional<RecordParser::Failure> failure;
};

// Takes all there is; false after a failure.
bool drain(RecordParser& parser, Parsed& into) {
  for (;;) {
    RecordParser::Step step = parser.next();
    if (std::holds_alternative<RecordParser::NeedMore>(step)) return true;
    if (auto* failure = std::get_if<RecordParser::Failure>(&step)) {
      into.failure = *failure;
      return false;
    }
    into.records.push_back(encode(std::get<Record>(step)));
  }
}

Parsed parse(const std::vector<Bytes>& pieces) {
  RecordParser parser;
  Parsed parsed;
  for (const Bytes& piece : pieces) {
    parser.feed(piece);
    if (!drain(parser, parsed)) break;
  }
  return parsed;
}

template <std::size_t N>
std::array<std::byte, N> counting(int from) {
  std::array<std::byte, N> bytes;
  for (std::size_t i = 0; i < N; ++i)
    bytes[i] = static_cast<std::byte>(i + static_cast<std::size_t>(from));
  return bytes;
}

constexpr Limits kLimits{
    .max_message = ByteCount(63), .max_reassembly = ByteCount(1 << 20), .max_streams = 7};

Hello hello() { return {.limits = kLimits, .resume_limit = 90s}; }
Welcome welcome() {
  return {.session = counting<16>(1),
          .secret = counting<32>(50),
          .limits = kLimits,
          .resume_limit = 1234ms,
          .lanes = true};
}
Bind bind() {
  return {.session = counting<16>(1), .channel = 70'000, .segment = 480, .proof = counting<16>(9)};
}

const Bytes& content() {
  static const Bytes bytes = bytes_of("some bytes of a message");
  return bytes;
}

std::vector<Record> one_of_each() {
  const StreamId far(0xffffffffu);
  return {
      hello(),
      welcome(),
      bind(),
      Bound{},
      Activate{.epoch = 3, .next = 1'234'567'890'123, .failover = true},
      Activate{},
      Probe{5},
      ProbeReply{qvid::kVarintMax},
      Segments{480},
      Close{CloseReason::kRefused, "not today"},
      Close{CloseReason::kPeer, ""},
      Ack{0},
      Ack{qvid::kVarintMax},
      Ping{},
      Cancel{StreamId(3), 70000},
      StreamClose{far},
      Chunk{.stream = StreamId(2),
            .number = 5,
            .first = true,
            .last = true,
            .message_size = content().size(),
            .importance = Importance(255),
            .position = Position(qvid::kVarintMax),
            .bytes = content()},
      Chunk{.stream = far,
            .first = true,
            .last = true,
            .importance = {},
            .position = {},
            .bytes = {}},
      Chunk{.stream = far,
            .number = 1u << 20,
            .first = true,
            .message_size = 1u << 30,
            .importance = Importance(1),
            .position = Position(64),
            .bytes = content()},
      Chunk{.stream = far,
            .number = 9,
            .importance = {},
            .position = {},
            .offset = 16384,
            .bytes = content()},
      Chunk{.stream = far,
            .number = 9,
            .last = true,
            .importance = {},
            .position = {},
            .offset = 63,
            .bytes = content()},
      LaneMessage{.number = 70'000,
                  .stream = far,
                  .importance = Importance(254),
                  .position = Position(qvid::kVarintMax),
                  .bytes = content()},
      LaneAck{70'000},
  };
}

TEST(Wire, EveryRecordComesBackTheSame) {
  for (const Record& record : one_of_each()) {
    SCOPED_TRACE(record.index());
    const Parsed parsed = parse({preamble() + encode(record)});
    ASSERT_FALSE(parsed.failure) << parsed.failure->detail;
    ASSERT_EQ(parsed.records.size(), 1u);
    EXPECT_EQ(parsed.records[0], encode(record));
  }
}

TEST(Wire, FieldsComeBackTheSame) {
  const Record sent = one_of_each()[18];
  const Bytes input = preamble() + encode(sent) + encode(welcome()) + encode(bind()) +
                      encode(Activate{.epoch = 3, .next = 1'234'567'890'123, .failover = true});
  RecordParser parser;
  parser.feed(input);
  const auto chunk = std::get<Chunk>(std::get<Record>(parser.next()));
  EXPECT_TRUE(chunk.first);
  EXPECT_FALSE(chunk.last);
  EXPECT_EQ(chunk.stream, StreamId(0xffffffffu));
  EXPECT_EQ(chunk.number, 1u << 20);
  EXPECT_EQ(chunk.message_size, 1u << 30);
  EXPECT_EQ(chunk.importance, Importance(1));
  EXPECT_EQ(chunk.position, Position(64));
  EXPECT_EQ(Bytes(chunk.bytes.begin(), chunk.bytes.end()), content());
  const auto welcomed = std::get<Welcome>(std::get<Record>(parser.next()));
  EXPECT_EQ(welcomed.session, welcome().session);
  EXPECT_EQ(welcomed.secret, welcome().secret);
  EXPECT_EQ(welcomed.limits.max_message, ByteCount(63));
  EXPECT_EQ(welcomed.limits.max_reassembly, ByteCount(1 << 20));
  EXPECT_EQ(welcomed.limits.max_streams, 7u);
  EXPECT_EQ(welcomed.resume_limit, Duration(1234ms));
  const auto bound = std::get<Bind>(std::get<Record>(parser.next()));
  EXPECT_EQ(bound.session, bind().session);
  EXPECT_EQ(bound.channel, 70'000u);
  EXPECT_EQ(bound.segment, 480u);
  EXPECT_EQ(bound.proof, bind().proof);
  const auto activate = std::get<Activate>(std::get<Record>(parser.next()));
  EXPECT_EQ(activate.epoch, 3u);
  EXPECT_EQ(activate.next, 1'234'567'890'123u);
  EXPECT_TRUE(activate.failover);
}

TEST(Wire, AnyCutGivesTheSameRecords) {
  Bytes all = preamble();
  for (const Record& record : one_of_each()) all = all + encode(record);
  const Parsed whole = parse({all});
  ASSERT_EQ(whole.records.size(), one_of_each().size());
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(cut);
    const Parsed parsed = parse({Bytes(all.begin(), middle), Bytes(middle, all.end())});
    ASSERT_FALSE(parsed.failure) << "cut at " << cut;
    ASSERT_EQ(parsed.records, whole.records) << "cut at " << cut;
  }
  for (std::size_t size = 1; size < 40; ++size) {
    std::vector<Bytes> pieces;
    for (std::size_t at = 0; at < all.size(); at += size) {
      const std::size_t end = std::min(at + size, all.size());
      pieces.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                          all.begin() + static_cast<std::ptrdiff_t>(end));
    }
    ASSERT_EQ(parse(pieces).records, whole.records) << "pieces of " << size;
  }
}

TEST(Wire, OverlongRecordIsRefusedBeforeItsBody) {
  for (const std::uint64_t length : {std::uint64_t{kMaxRecordBody + 1}, qvid::kVarintMax}) {
    for (const std::uint8_t type : {std::uint8_t{0x10}, std::uint8_t{0x7f}}) {
      Bytes head;
      ByteWriter w(head);
      w.u8(type);
      w.varint(length);
      const Parsed parsed = parse({preamble() + head});
      ASSERT_TRUE(parsed.failure) << length;
      EXPECT_EQ(parsed.failure->reason, CloseReason::kProtocolError);
    }
  }
  const Parsed longest = parse({preamble() + framed(0x40, Bytes(kMaxRecordBody)) + encode(Ping{})});
  EXPECT_FALSE(longest.failure);
  EXPECT_EQ(longest.records.size(), 1u);
}

TEST(Wire, WhatIsNoPreambleIsRefusedAtItsFirstWrongByte) {
  for (const std::string_view text :
       {"GET / HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n", "P1", "PACELINe", "paceline", "\x16\x03\x01"}) {
    SCOPED_TRACE(text);
    const Parsed parsed = parse({bytes_of(text)});
    ASSERT_TRUE(parsed.failure);
    EXPECT_EQ(parsed.failure->reason, CloseReason::kNotPaceline);
  }
  EXPECT_FALSE(parse({bytes_of("PACELIN")}).failure);
}

TEST(Wire, OtherVersionIsRefusedByName) {
  for (const int version : {0, 1, 3, 255}) {
    Bytes bytes = preamble();
    bytes.back() = static_cast<std::byte>(version);
    const Parsed parsed = parse({bytes});
    ASSERT_TRUE(parsed.failure) << version;
    EXPECT_EQ(parsed.failure->reason, CloseReason::kVersion);
    EXPECT_NE(parsed.failure->detail.find(std::to_string(version)), std::string::npos);
  }
}

TEST(Wire, BodyThatIsNotWhatItsTypeSaysIsRefused) {
  Bytes large_stream;
  ByteWriter(large_stream).varint(std::uint64_t{1} << 32);
  const std::pair<std::uint8_t, Bytes> bad[] = {
      {0x01, {}},                       // hello: empty
      {0x01, Bytes(3)},                 // hello: ends after the limits
      {0x02, Bytes(16 + 32 + 3)},       // welcome: one field short
      {0x03, {}},                       // close: no code
      {0x04, {}},                       // ack: empty
      {0x04, Bytes(2)},                 // ack: trailing byte
      {0x04, bytes_of("\x40")},         // ack: half a varint
      {0x05, Bytes(1)},                 // ping: trailing byte
      {0x06, Bytes(1)},                 // cancel: no number
      {0x06, Bytes(3)},                 // cancel: trailing byte
      {0x06, large_stream + Bytes(1)},  // cancel: a stream of more than 32 bits
      {0x07, {}},                       // stream close: empty
      {0x07, Bytes(2)},                 // stream close: trailing byte
      {0x07, large_stream},             // stream close: a stream of more than 32 bits
      {0x08, Bytes(16 + 2 + 15)},       // bind: half a proof
      {0x0a, Bytes(2)},                 // activate: no flag
      {0x0a, Bytes(4)},                 // activate: trailing byte
      {0x0b, {}},                       // probe: empty
      {0x0c, Bytes(2)},                 // probe reply: trailing byte
      {0x0d, {}},                       // segments: empty
      {0x10, Bytes(2)},                 // chunk: no offset
      {0x11, Bytes(4)},                 // first chunk: no position
      {0x13, large_stream + Bytes(4)},  // chunk: a stream of more than 32 bits
      {0x00, {}},
      {0x0e, {}},
      {0x0f, {}},
      {0x14, Bytes(9)},
      {0x3f, {}},  // unknown, not ignorable
  };
  for (const auto& [type, body] : bad) {
    SCOPED_TRACE(testing::Message() << "type " << int{type} << ", " << body.size() << " bytes");
    const Parsed parsed = parse({preamble() + framed(type, body) + encode(Ping{})});
    ASSERT_TRUE(parsed.failure);
    EXPECT_EQ(parsed.failure->reason, CloseReason::kProtocolError);
    EXPECT_TRUE(parsed.records.empty());
  }
}

TEST(Wire, UnknownTypesFrom0x40AreIgnored) {
  for (const int type : {0x40, 0x43, 0x80, 0xff}) {
    const Bytes unknown = framed(static_cast<std::uint8_t>(type), Bytes(100));
    const Parsed parsed = parse({preamble() + unknown + encode(Ping{}) + unknown});
    EXPECT_FALSE(parsed.failure);
    ASSERT_EQ(parsed.records.size(), 1u);
    EXPECT_EQ(parsed.records[0], encode(Ping{}));
  }
}

TEST(Wire, LaterVersionsMayAddFieldsToGreetingsAndCodesToClose) {
  for (const Record& record : {Record{hello()}, Record{bind()}, Record{Bound{}}}) {
    const Bytes whole = encode(record);
    const Bytes body(whole.begin() + 2, whole.end());
    const Parsed parsed = parse(
        {preamble() + framed(std::to_integer<std::uint8_t>(whole[0]), body + bytes_of("more"))});
    ASSERT_EQ(parsed.records.size(), 1u);
    EXPECT_EQ(parsed.records[0], whole);
  }

  const Bytes input = preamble() + framed(0x03, bytes_of("\x3fnew"));
  RecordParser parser;
  parser.feed(input);
  const auto close = std::get<Close>(std::get<Record>(parser.next()));
  EXPECT_EQ(close.reason, CloseReason::kPeer);
  EXPECT_EQ(close.detail, "new");
}

// What only this end can say is not taken from the peer.
TEST(Wire, CloseReasonsOfThisEndAreThePeersClose) {
  for (const CloseReason reason :
       {CloseReason::kLocal, CloseReason::kConnectionLost, CloseReason::kUntrusted}) {
    const Bytes sent = preamble() + encode(Close{reason, ""});
    RecordParser parser;
    parser.feed(sent);
    EXPECT_EQ(std::get<Close>(std::get<Record>(parser.next())).reason, CloseReason::kPeer);
  }
}

TEST(Wire, CloseDetailIsSafeToPrint) {
  const Bytes sent = preamble() + encode(Close{CloseReason::kPeer, "\x1b[31mred\nline"});
  RecordParser parser;
  parser.feed(sent);
  const RecordParser::Step step = parser.next();
  ASSERT_TRUE(std::holds_alternative<Record>(step));
  EXPECT_EQ(std::get<Close>(std::get<Record>(step)).detail, "?[31mred?line");
}

TEST(Wire, CloseDetailIsBounded) {
  const std::string text(3 * kMaxCloseDetail, 'x');
  const Bytes input = preamble() + framed(0x03, Bytes(1) + bytes_of(text)) +
                      encode(Close{CloseReason::kPeer, text});
  RecordParser parser;
  parser.feed(input);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(std::get<Close>(std::get<Record>(parser.next())).detail.size(), kMaxCloseDetail);
  }
}

TEST(Wire, FailureIsForEver) {
  RecordParser parser;
  const Bytes wrong = bytes_of("x");
  parser.feed(wrong);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::holds_alternative<RecordParser::Failure>(parser.next()));
    parser.feed(wrong);
  }
}

// A time that no 32 bits of milliseconds hold is the longest that they do; a negative one is none.
TEST(Wire, DurationsAreClamped) {
  for (const auto& [sent, came] : {std::pair{Duration(-1s), Duration(0s)},
                                   {Duration(1999us), Duration(1ms)},
                                   {Duration(24h * 365), Duration(0xffffffffll * 1ms)}}) {
    const Bytes input = preamble() + encode(Hello{.limits = {}, .resume_limit = sent});
    RecordParser parser;
    parser.feed(input);
    EXPECT_EQ(std::get<Hello>(std::get<Record>(parser.next())).resume_limit, came);
  }
}

}  // namespace
}  // namespace paceline
