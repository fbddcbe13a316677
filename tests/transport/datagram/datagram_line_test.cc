// What a datagram takes of the line is told with what it brings: beside a competitor that is its share.
#include <gtest/gtest.h>

#include <utility>

#include "tests/transport/datagram/by_datagrams.h"
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

// Until content may go from the server.
void open(DatagramPath& client, DatagramPath& server, Timestamp& now) {
  DatagramPath::News news;
  Bytes datagram;
  client.go_to(kThere, now);
  for (int i = 0; i < 30; ++i, now += 10ms) {
    for (auto [from, to] : {std::pair(&server, &client), std::pair(&client, &server)}) {
      from->on_timer(now);
      while (from->produce(datagram, true, now)) (void)to->receive(kThere, datagram, now, news);
    }
  }
}

void add(DatagramPath& path, std::uint64_t number, std::size_t size, Timestamp now,
         bool urgent = false) {
  path.outgoing().add({.number = number,
                       .id = MessageId(number),
                       .stream = StreamId(1),
                       .importance = Importance(static_cast<std::uint8_t>(200 - number)),
                       .position = Position(number),
                       .deadline = now + 1s,
                       .bytes = Payload::copy_of(Bytes(size, std::byte{1})),
                       .urgent = urgent});
}

// What is told of a message of the second size when one of the first waits, and how many datagrams the two
// take where it is added, too.
std::pair<bool, int> room_behind(std::size_t first, std::size_t second,
                                 std::int64_t chunk = DatagramPath::kLargest) {
  Timestamp now(1s);
  DatagramPath client{SessionSecret{}, DatagramDirection::kToServer, {}};
  DatagramPath server{SessionSecret{}, DatagramDirection::kToClient, {}};
  Bytes datagram;
  open(client, server, now);
  server.set_chunk(ByteCount(chunk));
  add(server, 1, first, now);
  const bool room = server.has_room(second);
  add(server, 2, second, now);
  int count = 0;
  while (server.outgoing().has_fresh() && server.produce(datagram, true, now)) ++count;
  return {room, count};
}

// On a narrow link a datagram's own bytes are a notable part of what goes.
TEST(DatagramLine, WhatHasRoomInOneDatagramGoesInOne) {
  EXPECT_EQ(room_behind(60, 1000), std::pair(true, 1)) << "a header and its unit";
  EXPECT_EQ(room_behind(1000, 60), std::pair(true, 1)) << "a rest that is less than a crumb";
  EXPECT_FALSE(room_behind(60, 1400).first);
  EXPECT_FALSE(room_behind(1100, 400).first);
}

// Who may have little under way sends little at once.
TEST(DatagramLine, ADatagramHasNoMoreThanGoesAtOnce) {
  EXPECT_EQ(room_behind(60, 400, 700), std::pair(true, 1));
  EXPECT_EQ(room_behind(60, 1000, 700), std::pair(false, 2));
  EXPECT_EQ(room_behind(1400, 600, 700), std::pair(false, 3));
}

// A copy beside it is of what is lost, and may be as large as most of that.
TEST(DatagramLine, ACopyGoesWhereLittleGoesAtOnce) {
  Timestamp now(1s);
  DatagramPath client{SessionSecret{}, DatagramDirection::kToServer, {}};
  DatagramPath server{SessionSecret{}, DatagramDirection::kToClient, {}};
  DatagramPath::News news;
  Bytes datagram;
  open(client, server, now);
  server.set_chunk(ByteCount(600));
  server.protect(DatagramPath::Protection::kUrgent);
  add(server, 1, 400, now, true);
  ASSERT_TRUE(server.produce(datagram, true, now));  // and is lost
  now += 20ms;
  add(server, 2, 1000, now);
  const auto written = server.produce(datagram, true, now);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->again, ByteCount(400));
  EXPECT_EQ(written->content, ByteCount(400 + 600));
  ASSERT_TRUE(client.receive(kThere, datagram, now, news));
  ASSERT_EQ(news.messages.size(), 1u);
  EXPECT_EQ(news.messages.front().bytes.size(), 400u);
}

TEST(DatagramLine, FramesOfOneDatagramGoInOne) {
  ByDatagrams d;
  d.show(2s, 100);
  const int before = d.call.net.udp.sent_by_server;
  for (int i = 0; i < 60; ++i) {
    d.call.send(Side::kServer, 60, 200, d.call.net.now() + 1s);
    d.call.send(Side::kServer, 1000, 100, d.call.net.now() + 1s);
    d.call.net.run_for(Duration(1s) / 30);
  }
  d.expect_settled();
  EXPECT_LE(d.call.net.udp.sent_by_server - before, 60 + 10) << "some ask for an answer alone";
}

}  // namespace
}  // namespace paceline
