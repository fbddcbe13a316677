// Shows that frames of any length come apart as they were put together, however they are cut, and
// what is refused.
#include "transport/socket/web_socket_frames.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/transport/web_socket_client.h"

namespace paceline::web_socket_frames_test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes pattern(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}
Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
Bytes raw(std::initializer_list<unsigned> bytes) {
  Bytes all;
  for (const unsigned b : bytes) all.push_back(static_cast<std::byte>(b));
  return all;
}

// The payload, of bytes that come in pieces of that size.
Bytes payload_of(WebSocketReader& reader, const Bytes& bytes, std::size_t piece) {
  Bytes all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    // A block of its own, so that reading past its end is seen.
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    Bytes part(from, from + static_cast<std::ptrdiff_t>(std::min(piece, bytes.size() - at)));
    const std::size_t size = reader.receive(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return all;
}
std::optional<WebSocketReader::End> end_after(const Bytes& bytes) {
  WebSocketReader reader;
  payload_of(reader, bytes, bytes.size());
  WebSocketReader by_bytes;
  payload_of(by_bytes, bytes, 1);
  EXPECT_EQ(reader.end().has_value(), by_bytes.end().has_value());
  return reader.end();
}
void expect_refused(const Bytes& bytes, std::uint16_t code) {
  const auto end = end_after(bytes);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->failed);
  EXPECT_EQ(end->code, code);
}

TEST(WebSocketFrames, OfEveryLengthComeApart) {
  for (const std::size_t size : {0u, 1u, 125u, 126u, 127u, 65'535u, 65'536u, 200'000u}) {
    const Bytes sent = joined({masked_binary(pattern(size)), masked_binary(pattern(3))});
    for (const std::size_t piece : {sent.size(), std::size_t{1}, std::size_t{1000}}) {
      WebSocketReader reader;
      EXPECT_EQ(payload_of(reader, sent, piece), joined({pattern(size), pattern(3)}))
          << size << " in pieces of " << piece;
      EXPECT_FALSE(reader.end());
    }
  }
}

TEST(WebSocketFrames, MayBeCutAnywhere) {
  const Bytes ping = masked_frame(0x89, pattern(5));
  const Bytes sent = joined({masked_frame(0x02, pattern(130)), ping, masked_frame(0x00, {}),
                             masked_frame(0x80, pattern(9)), masked_frame(0x8a, pattern(2)),
                             masked_binary(pattern(4))});
  const Bytes meant = joined({pattern(130), pattern(9), pattern(4)});
  for (std::size_t cut = 0; cut <= sent.size(); ++cut) {
    const auto at = sent.begin() + static_cast<std::ptrdiff_t>(cut);
    WebSocketReader reader;
    Bytes got = payload_of(reader, {sent.begin(), at}, sent.size());
    const Bytes rest = payload_of(reader, {at, sent.end()}, sent.size());
    got.insert(got.end(), rest.begin(), rest.end());
    EXPECT_EQ(got, meant) << cut;
    EXPECT_EQ(reader.take_ping(), pattern(5)) << cut;
    EXPECT_FALSE(reader.take_ping());
    EXPECT_FALSE(reader.end()) << cut;
  }
}

TEST(WebSocketFrames, OfPingsTheLatestIsAnswered) {
  WebSocketReader reader;
  Bytes sent = joined(
      {masked_frame(0x89, pattern(1)), masked_frame(0x89, {}), masked_frame(0x89, pattern(125))});
  EXPECT_EQ(reader.receive(sent), 0u);
  EXPECT_EQ(reader.take_ping(), pattern(125));
  EXPECT_FALSE(reader.take_ping());
}

TEST(WebSocketFrames, EndWithAClose) {
  const Bytes code = raw({0x03, 0xe9, 'b', 'y', 'e'});  // 1001
  WebSocketReader reader;
  Bytes sent = joined({masked_binary(pattern(3)), masked_frame(0x88, code), pattern(50)});
  EXPECT_EQ(reader.receive(sent), 3u);
  ASSERT_TRUE(reader.end());
  EXPECT_EQ(reader.end()->code, 1001);
  EXPECT_FALSE(reader.end()->failed);
  sent = masked_binary(pattern(3));
  EXPECT_EQ(reader.receive(sent), 0u) << "nothing behind it is read";
  const auto empty = end_after(masked_frame(0x88, {}));
  ASSERT_TRUE(empty);
  EXPECT_FALSE(empty->failed);
  EXPECT_EQ(empty->code, kWebSocketNormal);
  for (const unsigned wrong : {0u, 999u, 1004u, 1005u, 1006u, 1015u, 2000u, 5000u}) {
    SCOPED_TRACE(wrong);
    expect_refused(masked_frame(0x88, raw({wrong >> 8, wrong & 0xff})), kWebSocketProtocolError);
  }
  expect_refused(masked_frame(0x88, raw({0x03})), kWebSocketProtocolError);
}

TEST(WebSocketFrames, AreRefused) {
  const auto refused = [](const char* what, const Bytes& bytes) {
    SCOPED_TRACE(what);
    expect_refused(bytes, kWebSocketProtocolError);
  };
  expect_refused(masked_frame(0x81, pattern(3)), kWebSocketUnsupported);
  refused("no mask", raw({0x82, 0x01, 'x'}));
  for (const unsigned bit : {0x40u, 0x20u, 0x10u}) refused("a reserved bit", raw({0x82 | bit}));
  for (const unsigned op : {3u, 7u, 11u, 15u}) refused("an unknown opcode", raw({0x80 | op}));
  refused("a control frame in parts", raw({0x09}));
  refused("a long control frame", masked_frame(0x89, pattern(126)));
  refused("goes on with nothing", raw({0x80}));
  refused("a message within a message",
          joined({masked_frame(0x02, pattern(1)), masked_binary(pattern(1))}));
  refused("not in its shortest form, of two bytes", raw({0x82, 0xfe, 0, 125, 1, 2, 3, 4}));
  refused("not in its shortest form, of eight",
          raw({0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4}));
  refused("64 bits", raw({0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}));
}

// 2^62 bytes are promised: nothing is kept for them.
TEST(WebSocketFrames, TakeWhatComesOfAnEndlessOne) {
  WebSocketReader reader;
  Bytes head = raw({0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(reader.receive(head), 0u);
  for (int i = 0; i < 10; ++i) {
    Bytes part = pattern(1000);
    EXPECT_EQ(reader.receive(part), 1000u);
  }
  EXPECT_FALSE(reader.end());
}

TEST(WebSocketFrames, OfAServerSayHowLongTheyAre) {
  const auto header = [](std::uint64_t size) {
    const WebSocketHeader h(WebSocketOpcode::binary, size);
    return Bytes(h.bytes().begin(), h.bytes().end());
  };
  EXPECT_EQ(header(0), raw({0x82, 0}));
  EXPECT_EQ(header(125), raw({0x82, 125}));
  EXPECT_EQ(header(126), raw({0x82, 126, 0, 126}));
  EXPECT_EQ(header(65'535), raw({0x82, 126, 0xff, 0xff}));
  EXPECT_EQ(header(65'536), raw({0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0}));
  Bytes out;
  write_close_frame(kWebSocketNormal, out);
  EXPECT_EQ(out, raw({0x88, 2, 0x03, 0xe8}));
}

}  // namespace
}  // namespace paceline::web_socket_frames_test
