// Bytes that are no records of Paceline: each is refused, with its reason, as early as can be.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/transport/wire/wire_bytes.h"

namespace paceline {
namespace {

using qvid::ByteWriter;

TEST(WireRefused, OverlongRecordIsRefusedBeforeItsBody) {
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

TEST(WireRefused, WhatIsNoPreambleIsRefusedAtItsFirstWrongByte) {
  for (const std::string_view text :
       {"GET / HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n", "P1", "PACELINe", "paceline", "\x16\x03\x01"}) {
    SCOPED_TRACE(text);
    const Parsed parsed = parse({bytes_of(text)});
    ASSERT_TRUE(parsed.failure);
    EXPECT_EQ(parsed.failure->reason, CloseReason::kNotPaceline);
  }
  EXPECT_FALSE(parse({bytes_of("PACELIN")}).failure);
}

TEST(WireRefused, OtherVersionIsRefusedByName) {
  for (const int version : {0, 1, 3, 255}) {
    Bytes bytes = preamble();
    bytes.back() = static_cast<std::byte>(version);
    const Parsed parsed = parse({bytes});
    ASSERT_TRUE(parsed.failure) << version;
    EXPECT_EQ(parsed.failure->reason, CloseReason::kVersion);
    EXPECT_NE(parsed.failure->detail.find(std::to_string(version)), std::string::npos);
  }
}

TEST(WireRefused, BodyThatIsNotWhatItsTypeSaysIsRefused) {
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

TEST(WireRefused, FailureIsForEver) {
  RecordParser parser;
  const Bytes wrong = bytes_of("x");
  parser.feed(wrong);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::holds_alternative<RecordParser::Failure>(parser.next()));
    parser.feed(wrong);
  }
}

}  // namespace
}  // namespace paceline
