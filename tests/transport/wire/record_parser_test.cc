// What a parser takes of memory is bounded, whatever comes, and what came behind a greeting can be
// handed on.
#include <gtest/gtest.h>

#include <vector>

#include "base/byte_io.h"
#include "tests/transport/counted_new.h"
#include "transport/wire/record.h"
#include "transport/wire/record_parser.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

using Bytes = std::vector<std::byte>;

Bytes preamble() {
  Bytes out;
  write_preamble(out);
  return out;
}

// A record with a body of our choice.
Bytes framed(std::uint8_t type, const Bytes& body) {
  Bytes out;
  qvid::ByteWriter w(out);
  w.u8(type);
  w.varint(body.size());
  w.bytes(body);
  return out;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The largest block that a parser takes when fed byte by byte stays within two records.
TEST(RecordParser, ParserHoldsOneRecordAtMost) {
  const Bytes record = framed(0x10, Bytes(kMaxRecordBody));
  RecordParser parser;
  const Bytes start = preamble();
  parser.feed(start);
  EXPECT_TRUE(std::holds_alternative<RecordParser::NeedMore>(parser.next()));
  counted_new::largest = 0;
  for (int round = 0; round < 5; ++round) {
    for (const std::byte& b : record) {
      parser.feed(std::span(&b, 1));
      const RecordParser::Step step = parser.next();
      ASSERT_FALSE(std::holds_alternative<RecordParser::Failure>(step));
      if (std::holds_alternative<Record>(step)) {
        EXPECT_TRUE(std::holds_alternative<RecordParser::NeedMore>(parser.next()));
      }
    }
  }
  EXPECT_LE(counted_new::largest, 2 * (kMaxRecordBody + kMaxRecordHeader));
}

TEST(RecordParser, ParserTakesNoMemoryAfterAFailure) {
  RecordParser parser;
  const Bytes wrong = preamble() + framed(0x3f, {});
  for (const std::byte& b : wrong) {
    parser.feed(std::span(&b, 1));
    (void)parser.next();
  }
  const Bytes more(1 << 16);
  counted_new::largest = 0;
  for (int i = 0; i < 100; ++i) {
    parser.feed(more);
    EXPECT_TRUE(std::holds_alternative<RecordParser::Failure>(parser.next()));
  }
  EXPECT_LE(counted_new::largest, 2 * (kMaxRecordBody + kMaxRecordHeader));
}

TEST(RecordParser, HandsOnWhatCameBehindARecord) {
  const Bytes ping = framed(0x05, {});
  const Bytes rest = ping + Bytes(7);
  for (std::size_t cut = 0; cut <= ping.size() + rest.size(); ++cut) {
    const Bytes all = preamble() + ping + rest;
    RecordParser parser;
    const auto at = static_cast<std::ptrdiff_t>(kPreambleSize + cut);
    const Bytes first(all.begin(), all.begin() + at);
    const Bytes second(all.begin() + at, all.end());
    parser.feed(first);
    Bytes taken;
    if (std::holds_alternative<Record>(parser.next())) {
      taken = parser.take_rest() + second;
    } else {
      parser.feed(second);
      ASSERT_TRUE(std::holds_alternative<Record>(parser.next()));
      taken = parser.take_rest();
    }
    EXPECT_EQ(taken, rest) << "cut at " << cut;
    // The next one goes on there, on its own.
    RecordParser next = RecordParser::behind_preamble();
    next.feed(taken);
    EXPECT_TRUE(std::holds_alternative<Record>(next.next()));
  }
}

}  // namespace
}  // namespace paceline
