// Records come back the same however the bytes are cut, and what later versions may say is taken.
#include "transport/wire/record.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/transport/wire/wire_bytes.h"

namespace paceline {
namespace {

using qvid::operator""h;
using qvid::operator""ms;
using qvid::operator""s;
using qvid::operator""us;

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
          .features = {.lanes = true, .short_fragments = true}};
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
