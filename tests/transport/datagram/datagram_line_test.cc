// What a datagram takes of the line is told with what it brings: beside a competitor that is its share.
#include <gtest/gtest.h>

#include "transport/datagram/datagram_path.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using Bytes = std::vector<std::byte>;

constexpr PathAddress kThere{.ip = {1}, .port = 7};
constexpr std::int64_t kIpAndUdp = 28;

TEST(DatagramLine, HeadersCountOnTheLineAndAreAcknowledgedWithIt) {
  Timestamp now(1s);
  DatagramPath client{SessionSecret{}, DatagramDirection::kToServer, {}};
  DatagramPath server{SessionSecret{}, DatagramDirection::kToClient, {}};
  DatagramPath::News news;
  std::int64_t on_line = 0;
  std::int64_t content = 0;
  std::int64_t acked = 0;
  std::int64_t acked_on_line = 0;
  const auto pass = [&](DatagramPath& from, DatagramPath& to) {
    Bytes datagram;
    from.on_timer(now);
    while (const auto written = from.produce(datagram, true, now)) {
      if (written->content > ByteCount()) {
        EXPECT_EQ(written->on_line.value(), static_cast<std::int64_t>(datagram.size()) + kIpAndUdp);
        on_line += written->on_line.value();
      }
      content += written->content.value();
      news.clear();
      ASSERT_TRUE(to.receive(kThere, datagram, now, news));
      if (&to == &server) acked += news.acked.value();
      if (&to == &server) acked_on_line += news.acked_on_line.value();
    }
  };
  const auto exchange = [&] {
    now += 10ms;
    pass(server, client);
    pass(client, server);
  };
  client.go_to(kThere, now);
  for (int i = 0; i < 30; ++i) exchange();
  ASSERT_TRUE(server.open());
  on_line = content = acked = acked_on_line = 0;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    server.outgoing().add({.number = i,
                           .id = MessageId(i),
                           .stream = StreamId(1),
                           .importance = Importance(100),
                           .position = Position(i),
                           .deadline = now + 1s,
                           .bytes = Payload::copy_of(Bytes(200, std::byte{1}))});
    exchange();
  }
  for (int i = 0; i < 10; ++i) exchange();
  EXPECT_EQ(content, 20 * 200);
  EXPECT_EQ(acked, content);
  EXPECT_GT(on_line, content + 20 * kIpAndUdp);
  EXPECT_GE(acked_on_line, on_line);  // and what asked without content
  EXPECT_EQ(server.under_way(), ByteCount());
}

}  // namespace
}  // namespace paceline
