#include "transport/session/outgoing_streams.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

using qvid::operator""s;

struct OutgoingStreamsTest : testing::Test {
  // Empty: it was taken.
  std::string refused(std::uint32_t stream, std::size_t size, void (*change)(Message&) = nullptr) {
    Message message;
    if (change != nullptr) change(message);
    message.payload = qvid::PayloadBuilder(size).take();
    const auto sent = streams.send(StreamId(stream), std::move(message), peer, now);
    return sent ? "" : sent.error().message;
  }

  Timestamp now{100s};
  Limits peer{.max_message = ByteCount(5000), .max_streams = 2};
  SendQueue queue{ByteCount(4000), ByteCount(4000)};
  OutgoingStreams streams{Side::kClient, queue};
};

TEST_F(OutgoingStreamsTest, SaysWhyAMessageIsRefused) {
  EXPECT_EQ(refused(0, 5001), "a message of 5001 bytes; the other end takes 5000");
  EXPECT_EQ(refused(0, 4001), "a message of 4001 bytes; the send queue takes 4000");
  EXPECT_EQ(refused(0, 1, [](Message& m) { m.deadline = Timestamp(100s); }),
            "the deadline has passed");
  EXPECT_NE(refused(0, 1, [](Message& m) { m.position = Position(std::uint64_t{1} << 62); }), "");
  EXPECT_NE(refused(0, 1, [](Message& m) { m.quality = 0; }), "");
  EXPECT_EQ(refused(0, 3000), "");
  EXPECT_EQ(refused(0, 3000), "send queue full (4000 bytes)");
  EXPECT_EQ(refused(0, 1000), "");
}

TEST_F(OutgoingStreamsTest, OwnStreamsAreOpenedFirstTheOthersNot) {
  EXPECT_EQ(refused(2, 1), "the stream is not open");
  EXPECT_EQ(streams.open(1.0), StreamId(2));
  EXPECT_EQ(refused(2, 1), "");
  EXPECT_EQ(refused(1, 1), "");
}

TEST_F(OutgoingStreamsTest, AsManyAsThePeerTakesCarryMessages) {
  streams.open(1.0);
  streams.open(1.0);
  EXPECT_EQ(refused(0, 1), "");
  EXPECT_EQ(refused(2, 1), "");
  EXPECT_EQ(refused(4, 1), "the other end takes 2 streams");
  EXPECT_FALSE(streams.close(StreamId(6)));
  EXPECT_TRUE(streams.close(StreamId(2)));
  EXPECT_EQ(refused(4, 1), "");
}

}  // namespace
}  // namespace paceline
