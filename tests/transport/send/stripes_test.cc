// Content goes over further sockets where one kernel's window is the limit, and only then; what is
// said of each message is true, whatever becomes of the sockets.
#include "transport/send/stripes.h"

#include <gtest/gtest.h>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""ms;
using qvid::operator""s;

constexpr ChannelId kFirst{3}, kSecond{5};

SocketSample socket_with(std::uint32_t cwnd, std::int64_t unacked, std::uint32_t sacked = 0) {
  return {
      .cwnd = cwnd, .sacked = sacked, .mss = 1000_B, .unacked = ByteCount(unacked), .unsent = {}};
}

TEST(Stripes, TheActiveChannelIsFilledFirst) {
  Stripes stripes;
  EXPECT_FALSE(stripes.active_is_full(5000_B));  // its kernel tells nothing
  stripes.use({kFirst, kSecond});
  stripes.on_socket(kFirst, socket_with(10, 0));
  stripes.on_socket(kSecond, socket_with(10, 0));
  stripes.on_active(socket_with(10, 4000));
  EXPECT_EQ(stripes.better_for(6000_B), std::nullopt);
  EXPECT_EQ(stripes.better_for(6001_B), kFirst);
  stripes.on_written_to_active(1_B);
  EXPECT_EQ(stripes.better_for(6000_B), kFirst);
  stripes.on_written(kFirst, 6000_B);
  EXPECT_EQ(stripes.better_for(6000_B), kSecond);
  stripes.on_written(kSecond, 6000_B);
  EXPECT_EQ(stripes.better_for(6000_B), std::nullopt);  // as good a place to wait as any
}

TEST(Stripes, NothingIsWrittenBehindARepairWhereItNeedNotBe) {
  Stripes stripes;
  stripes.use({kFirst, kSecond});
  stripes.on_socket(kFirst, socket_with(10, 3000, 2));
  stripes.on_socket(kSecond, socket_with(10, 0));
  stripes.on_active(socket_with(10, 3000, 2));
  EXPECT_EQ(stripes.better_for(1000_B), kSecond);
  EXPECT_EQ(stripes.under_way(), 1000_B);  // the two others have left the path
}

TEST(Stripes, KeepsWhatItKnowsOfAChannelThatStays) {
  Stripes stripes;
  stripes.use({kFirst, std::nullopt});
  EXPECT_EQ(stripes.better_for(1000_B), std::nullopt);
  stripes.on_active(socket_with(1, 1000));
  EXPECT_EQ(stripes.better_for(1000_B), std::nullopt);  // its kernel has not told yet
  stripes.on_socket(kFirst, socket_with(10, 0));
  stripes.use({kSecond, kFirst});
  EXPECT_EQ(stripes.better_for(1000_B), kFirst);
  stripes.use({});
  EXPECT_TRUE(stripes.empty());
  EXPECT_EQ(stripes.better_for(1000_B), std::nullopt);
}

// A path of 8 Mbit/s whose kernels let 4 segments a round trip of 60 ms through a socket.
struct NarrowSockets {
  NarrowSockets() : call({.delay = 30ms, .cwnd = 4}) {
    call.net.on_record([this](Side from, ChannelId channel, const Record& record) {
      if (from != Side::kClient) return;
      if (const auto* m = std::get_if<LaneMessage>(&record)) striped += m->bytes.size();
      if (std::holds_alternative<LaneMessage>(record)) last_stripe = channel;
    });
  }
  // 1.2 Mbit/s, where one socket carries .75.
  void talk(Duration time, bool expires = true) {
    for (const Timestamp until = call.net.now() + time; call.net.now() < until;) {
      call.send(Side::kClient, 2500, 0, expires ? call.net.now() + 2s : qvid::kNever);
      call.net.run_for(Duration(1s) / 60);
    }
  }
  int delivered() { return call.client.ledger.count(Outcome::kDelivered); }

  Call call;
  std::size_t striped = 0;
  ChannelId last_stripe;
};

TEST(StripesSession, WhatOneSocketDoesNotCarryGoesOverOthers) {
  NarrowSockets path;
  path.talk(10s);
  path.call.net.run_for(3s);
  EXPECT_GT(path.striped, 300'000u);  // of 1.5 MB
  EXPECT_GT(path.delivered(), 580);   // of 600, the start left aside
  EXPECT_LT(path.call.net.client().signals(path.call.net.now()).unacked, 10_B);  // a ping
  path.call.client.ledger.expect_settled();
  EXPECT_EQ(path.call.net.channels().size(), 4u);  // one more than without
  path.call.net.run_for(Stripes::kFor + 5s);
  EXPECT_EQ(path.call.net.channels().size(), 3u);
}

TEST(StripesSession, WhatKeepsItsPlaceDoesNot) {
  NarrowSockets path;
  path.talk(5s, false);
  EXPECT_EQ(path.striped, 0u);
}

TEST(StripesSession, AClosedStripeLosesNothing) {
  NarrowSockets path;
  path.talk(3s);
  for (int i = 0; i < 5; ++i) {
    ASSERT_GT(path.striped, 0u);
    path.call.net.cut(path.last_stripe, {Side::kClient, Side::kServer});
    path.striped = 0;
    path.talk(2s);
  }
  path.call.net.run_for(3s);
  path.call.client.ledger.expect_settled();
  EXPECT_EQ(path.call.client.ledger.count(Outcome::kLost), 0);
  EXPECT_TRUE(path.call.client.failovers.empty());
}

TEST(StripesSession, WhatStallsOnAStripeGoesAnotherWay) {
  NarrowSockets path;
  path.talk(3s);
  const int before = path.delivered();
  path.call.net.stall(path.last_stripe, 5s);
  path.talk(3s);
  path.call.net.run_for(500ms);
  // At two seconds each would have expired, or be on its way.
  EXPECT_GT(path.delivered(), before + 170);
  path.call.net.run_for(5s);
  path.call.client.ledger.expect_settled();
}

}  // namespace
}  // namespace paceline
