// Messages come together from interleaved chunks; every violation is an error, and no memory is
// taken beyond the limits.
#include "transport/receive/reassembly.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace paceline {
namespace {

using qvid::operator""_B;

const StreamId s0{0};
const StreamId s1{1};

constexpr Limits kLimits{
    .max_message = ByteCount(100), .max_reassembly = ByteCount(150), .max_streams = 2};

Chunk first(StreamId stream, std::uint64_t number, std::uint64_t size, std::string_view bytes) {
  return {.stream = stream,
          .number = number,
          .first = true,
          .last = false,
          .message_size = size,
          .importance = Importance(7),
          .position = Position(number),
          .bytes = std::as_bytes(std::span(bytes))};
}
Chunk whole(StreamId stream, std::uint64_t number, std::string_view bytes) {
  Chunk c = first(stream, number, bytes.size(), bytes);
  c.last = true;
  return c;
}
Chunk more(StreamId stream, std::uint64_t number, std::uint64_t offset, std::string_view bytes,
           bool last = false) {
  return {.stream = stream,
          .number = number,
          .last = last,
          .importance = {},
          .position = {},
          .offset = offset,
          .bytes = std::as_bytes(std::span(bytes))};
}

struct ReassemblyTest : testing::Test {
  // "-" for nothing yet, "!" for an error, else the text of the message.
  std::string feed(const Chunk& chunk) {
    auto result = reassembly.on_chunk(chunk);
    if (!result) {
      EXPECT_FALSE(result.error().message.empty());
      return "!";
    }
    if (!result->has_value()) return "-";
    const MessageArrived& m = **result;
    EXPECT_EQ(m.stream, chunk.stream);
    EXPECT_EQ(m.importance, Importance(7));
    EXPECT_EQ(m.position, Position(chunk.number));
    return std::string(m.payload.text());
  }
  Reassembly reassembly{kLimits};
};

TEST_F(ReassemblyTest, WholeMessagesTakeNoRoom) {
  EXPECT_EQ(feed(whole(s0, 0, "hello")), "hello");
  EXPECT_EQ(feed(whole(s0, 1, "")), "");
  EXPECT_EQ(reassembly.partial_messages(), 0u);
}

TEST_F(ReassemblyTest, InterleavedChunksOfSeveralMessages) {
  EXPECT_EQ(feed(first(s0, 0, 6, "ab")), "-");
  EXPECT_EQ(feed(first(s0, 1, 4, "xy")), "-");
  EXPECT_EQ(feed(first(s1, 0, 3, "1")), "-");
  EXPECT_EQ(reassembly.partial_bytes(), 13_B);
  EXPECT_EQ(feed(more(s0, 0, 2, "cd")), "-");
  EXPECT_EQ(feed(whole(s0, 2, "important")), "important");
  EXPECT_EQ(feed(more(s0, 1, 2, "zw", true)), "xyzw");
  EXPECT_EQ(feed(more(s1, 0, 1, "23", true)), "123");
  EXPECT_EQ(feed(more(s0, 0, 4, "ef", true)), "abcdef");
  EXPECT_EQ(reassembly.partial_bytes(), 0_B);
  EXPECT_EQ(reassembly.partial_messages(), 0u);
}

TEST_F(ReassemblyTest, HoldsLittleOfAStranger) {
  reassembly.hold_at_most(60_B);
  EXPECT_EQ(feed(first(s0, 0, 50, "ab")), "-");
  EXPECT_EQ(feed(first(s1, 0, 5, "ab")), "!");  // one at a time: 60 bytes are no KiB
  reassembly.hold_at_most(1000_B);              // the limits it is
  EXPECT_EQ(feed(first(s1, 1, 50, "ab")), "-");
  EXPECT_EQ(feed(first(s0, 1, 90, "ab")), "!");
}

TEST_F(ReassemblyTest, CancelledMessageGivesItsRoomBack) {
  feed(first(s0, 0, 100, "ab"));
  EXPECT_EQ(feed(first(s0, 1, 100, "ab")), "!");  // past 150 bytes
  reassembly.on_cancel({s0, 0});
  EXPECT_EQ(reassembly.partial_bytes(), 0_B);
  EXPECT_EQ(feed(first(s0, 2, 100, "ab")), "-");
  reassembly.on_cancel({s0, 0});  // again, and of what never began
  reassembly.on_cancel({s1, 2});
  EXPECT_EQ(reassembly.partial_bytes(), 100_B);
  EXPECT_EQ(feed(more(s0, 0, 2, "cd")), "!");
}

TEST_F(ReassemblyTest, ClosedStreamGivesItsRoomBack) {
  feed(first(s0, 0, 50, "ab"));
  feed(first(s0, 1, 50, "ab"));
  feed(first(s1, 0, 50, "ab"));
  reassembly.on_stream_close(s0);
  EXPECT_EQ(reassembly.partial_messages(), 1u);
  EXPECT_EQ(reassembly.partial_bytes(), 50_B);
  EXPECT_EQ(feed(more(s0, 0, 2, "cd")), "!");
  EXPECT_EQ(feed(whole(StreamId(5), 0, "x")), "x");  // its place among the streams is free
  EXPECT_EQ(feed(whole(StreamId(7), 0, "x")), "!");
}

TEST_F(ReassemblyTest, EveryViolationIsAnError) {
  struct Case {
    std::string what;
    std::vector<Chunk> before;
    Chunk bad;
  };
  const std::string long_text(101, 'x');
  const Case cases[] = {
      {"not begun", {}, more(s0, 0, 0, "ab")},
      {"not begun, last", {}, more(s0, 0, 0, "ab", true)},
      {"other stream", {first(s0, 0, 10, "ab")}, more(s1, 0, 2, "cd")},
      {"longer than the limit", {}, first(s0, 0, 101, "ab")},
      {"whole, longer than the limit", {}, whole(s0, 0, long_text)},
      {"huge", {}, first(s0, 0, (std::uint64_t{1} << 62) - 1, "ab")},
      {"too many bytes begun", {first(s0, 0, 100, "ab")}, first(s0, 1, 51, "ab")},
      {"too many streams", {whole(s0, 0, "x"), whole(s1, 0, "x")}, whole(StreamId(2), 0, "x")},
      {"begins twice", {first(s0, 0, 10, "ab")}, first(s0, 0, 10, "ab")},
      {"begins again whole", {first(s0, 0, 10, "ab")}, whole(s0, 0, "ab")},
      {"gap", {first(s0, 0, 10, "ab")}, more(s0, 0, 3, "cd")},
      {"overlap", {first(s0, 0, 10, "ab")}, more(s0, 0, 1, "cd")},
      {"empty first", {}, first(s0, 0, 10, "")},
      {"empty later", {first(s0, 0, 10, "ab")}, more(s0, 0, 2, "")},
      {"empty last", {first(s0, 0, 10, "ab")}, more(s0, 0, 2, "", true)},
      {"past its end", {first(s0, 0, 3, "ab")}, more(s0, 0, 2, "cd", true)},
      {"first past its end", {}, first(s0, 0, 1, "ab")},
      {"complete without last", {first(s0, 0, 4, "ab")}, more(s0, 0, 2, "cd")},
      {"first complete without last", {}, first(s0, 0, 2, "ab")},
      {"last too soon", {first(s0, 0, 10, "ab")}, more(s0, 0, 2, "cd", true)},
      {"whole but short",
       {},
       [] {
         Chunk c = whole(s0, 0, "ab");
         c.message_size = 3;
         return c;
       }()},
      {"whole but long",
       {},
       [] {
         Chunk c = whole(s0, 0, "ab");
         c.message_size = 1;
         return c;
       }()},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    reassembly = Reassembly(kLimits);
    for (const Chunk& chunk : c.before) EXPECT_NE(feed(chunk), "!");
    const auto bytes = reassembly.partial_bytes();
    EXPECT_EQ(feed(c.bad), "!");
    EXPECT_EQ(reassembly.partial_bytes(), bytes);
  }
}

TEST_F(ReassemblyTest, OneMessageMayBeLargerThanTheBudget) {
  reassembly = Reassembly({.max_message = 1000_B, .max_reassembly = 10_B, .max_streams = 1});
  EXPECT_EQ(feed(first(s0, 0, 1000, "ab")), "-");
  EXPECT_EQ(feed(first(s0, 1, 3, "ab")), "!");
  EXPECT_EQ(reassembly.partial_bytes(), 1000_B);
}

TEST_F(ReassemblyTest, NumberOfBegunMessagesIsBounded) {
  reassembly =
      Reassembly({.max_message = 2_B, .max_reassembly = ByteCount::max(), .max_streams = 1});
  for (std::uint64_t i = 0; i < kMaxBegun; ++i) ASSERT_EQ(feed(first(s0, i, 2, "a")), "-");
  EXPECT_EQ(feed(first(s0, kMaxBegun, 2, "a")), "!");
  EXPECT_EQ(reassembly.partial_messages(), kMaxBegun);
}

}  // namespace
}  // namespace paceline
