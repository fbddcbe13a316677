// Ways that are cut, for good and for a while: where content goes meanwhile, and how soon it is back.
#include <gtest/gtest.h>

#include <map>

#include "tests/transport/datagram/by_datagrams.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

TEST(DatagramOutage, WhatIsEatenInTheMiddleGoesOverTcpWithinAQuarterOfASecond) {
  ByDatagrams d;
  d.show(3s, 2000);
  Timestamp last = d.call.net.now();
  Duration longest{};
  d.call.on_arrived = [&](const MessageArrived&) {
    longest = std::max(longest, d.call.net.now() - last);
    last = d.call.net.now();
  };
  d.call.net.udp.blocked = true;
  d.show(5s, 2000);
  // Two time-outs of 60 ms and 20 ms, a way of 30 ms, and what pictures are apart.
  EXPECT_LE(longest, Duration(230ms));
  EXPECT_GT(longest, Duration(60ms));
  d.call.net.udp.blocked = false;
  d.call.net.run_for(6s);
  EXPECT_TRUE(d.signals(Side::kServer).udp);  // and back
  const auto before = d.signals(Side::kServer).datagrams;
  d.show(2s, 2000);
  EXPECT_EQ(d.signals(Side::kServer).datagrams - before, 61u);
  d.expect_settled();
  EXPECT_EQ(d.delivered(), d.call.server.ledger.total());
}

// Nothing passes for 3 s, and TCP comes back a second after the datagrams, as its time-outs have it.
// What waits on its sockets, or was written to them meanwhile, holds nothing up.
TEST(DatagramOutage, AfterAnOutageContentIsBackAtOnce) {
  ByDatagrams d(Datagrams::kAuto, Datagrams::kAuto,
                {.rate = qvid::DataRate::from_kbps(4000), .delay = 20ms});
  SimulatedNetwork& net = d.call.net;
  std::map<std::uint64_t, Timestamp> arrived;
  d.call.on_arrived = [&](const MessageArrived& m) { arrived[m.position.value()] = net.now(); };
  const auto show = [&](Duration time) { d.show(time, 7000, 300ms); };  // 1.7 Mbit/s
  show(5s);
  const Duration rtt = d.signals(Side::kServer).rtt;
  EXPECT_FALSE(d.signals(Side::kServer).silent);
  d.call.server.slowed.clear();
  net.udp.blocked = true;
  net.outage(4s);
  show(3s);
  EXPECT_TRUE(d.signals(Side::kServer).silent);
  net.udp.blocked = false;
  const Timestamp back = net.now();
  const std::uint64_t from = d.call.next_tag;
  show(300ms);
  EXPECT_FALSE(d.signals(Side::kServer).silent);
  // 25 ms until a challenge goes, three ways of 20 ms, and ten messages that waited.
  const auto first = std::ranges::find_if(arrived, [&](const auto& a) { return a.second > back; });
  ASSERT_NE(first, arrived.end());
  EXPECT_LE(first->second, back + 150ms);
  ASSERT_TRUE(arrived.contains(from));
  EXPECT_LE(arrived[from], back + 250ms);
  const auto& told = d.call.server.slowed;
  EXPECT_EQ(std::ranges::count(told, PathRate::Reason::kRestored, &PathRate::reason), 1);
  const std::uint64_t then = d.call.next_tag;
  for (int i = 0; i < 20; ++i) {
    show(100ms);
    // What the content takes in a round trip.
    EXPECT_GE(d.signals(Side::kServer).window, ByteCount(7000 * 30 / 25));
  }
  int late = 0;
  for (std::uint64_t tag = then; tag < d.call.next_tag - 10; ++tag) late += !arrived.contains(tag);
  EXPECT_LE(late, 2);
  EXPECT_LT(d.signals(Side::kServer).rtt, rtt + 20ms);
  EXPECT_GT(d.call.server.ledger.count(Outcome::kLost), 0);
  d.expect_settled();
}

// What stood in a queue all the time is acknowledged when it comes: both directions are there again.
// What the client sends all the while says nothing of the other one.
TEST(DatagramOutage, WhatWaitedInAQueueOpensTheWay) {
  ByDatagrams d;
  SimulatedNetwork& net = d.call.net;
  d.show(3s);
  const Timestamp back = net.now() + 4s;
  net.udp.held_until = back;
  d.show(100ms);
  net.udp.blocked_from = Side::kServer;
  net.run_until(back + 55ms);
  EXPECT_FALSE(d.signals(Side::kServer).udp);
  net.run_until(back + 65ms);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  net.udp.blocked_from.reset();
  d.show(1s);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  EXPECT_TRUE(d.signals(Side::kClient).udp);
  d.expect_settled();
}

// An end that only acknowledges asks once a second: two that are lost are no outage.
TEST(DatagramOutage, ChanceLossesAreNone) {
  ByDatagrams d;
  d.show(3s, 2000);
  d.call.net.udp.loss = 0.1;
  const std::uint64_t from = d.call.next_tag;
  const auto before = d.signals(Side::kServer).datagrams;
  d.show(240s, 2000);
  const std::uint64_t by_datagrams = d.signals(Side::kServer).datagrams - before;
  EXPECT_LE(d.call.next_tag - from - by_datagrams, 40u) << "over TCP, of 7200";
  d.expect_settled();
}

// In one direction alone: what an end asks goes in the datagram that answers the other's question.
TEST(DatagramOutage, AnAnswerAsks) {
  ByDatagrams d;
  SimulatedNetwork& net = d.call.net;
  d.show(3s);
  net.udp.blocked_from = Side::kServer;
  d.show(1s);
  EXPECT_FALSE(d.signals(Side::kServer).udp);
  const int before = net.udp.sent_by_server;
  net.run_for(2s);
  // Half a round trip apart, which is 60 ms and what varies.
  EXPECT_LE(net.udp.sent_by_server - before, 2s / 30ms);
  EXPECT_GE(net.udp.sent_by_server - before, 2s / 35ms);
  net.udp.blocked_from.reset();
  net.run_for(25ms + 4 * 30ms);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  d.expect_settled();
}

// What is expected back is not left: the server's challenges go to the client's port, and the server
// has proved it. After 5 s a NAT may have forgotten, and this host may have another address.
TEST(DatagramOutage, ThePortIsKeptWhereThePathIsExpectedBack) {
  ByDatagrams d;
  d.show(3s);
  const PathAddress port = d.call.net.udp.client_address();
  d.call.net.udp.blocked = true;
  d.show(4500ms);
  d.call.net.udp.blocked = false;
  d.show(100ms);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  EXPECT_EQ(d.call.net.udp.client_address(), port);
  // It was not open for long: the port may be what is wrong.
  d.call.net.udp.blocked = true;
  d.show(2s);
  EXPECT_NE(d.call.net.udp.client_address(), port);
  d.call.net.udp.blocked = false;
  d.show(5s);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  const PathAddress second = d.call.net.udp.client_address();
  d.call.net.udp.blocked = true;
  d.show(7500ms);
  EXPECT_NE(d.call.net.udp.client_address(), second);
  d.call.net.udp.blocked = false;
  d.expect_settled();
}

// Whole datagrams that ask, ten a second each way, were two thirds of a line of 0.3 Mbit/s.
TEST(DatagramOutage, WhereNonePassFewAreSent) {
  SimulatedNetwork net({.delay = 30ms}, with(Datagrams::kAuto), with(Datagrams::kAuto));
  net.udp.blocked = true;
  net.run_for(1s);
  EXPECT_GE(net.udp.sent, 3);
  EXPECT_LE(net.udp.sent, 4);  // at 0, 0.1, 0.3, 0.7 s
  net.run_for(59s);
  EXPECT_GE(net.udp.sent, 9);
  EXPECT_LE(net.udp.sent, 10);  // and at 1.5, 3.1, 6.3, 12.7, 25.5, 51.1 s
}

// A round trip that grows to a second fails it, and the next answer opens it again: each time is twice as
// far away.
TEST(DatagramOutage, APathThatOpensAndFailsIsLeftMoreAndMore) {
  ByDatagrams d;
  int failures = 0;
  for (const Timestamp end = d.call.net.now() + 30s; d.call.net.now() < end;) {
    d.call.net.udp.blocked = d.signals(Side::kServer).udp;
    const bool was = d.call.net.udp.blocked;
    d.show(100ms, 1000);
    failures += was && !d.signals(Side::kServer).udp;
  }
  EXPECT_GE(failures, 4);
  EXPECT_LE(failures, 2 * 8);  // each end doubles from 100 ms on
  d.call.net.udp.blocked = false;
  d.show(30s, 1000);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  d.expect_settled();
}

// Somebody fills a queue of a second: what comes late tells how long a round trip is by now, so that the
// path fails once or twice and not whenever it opens.
TEST(DatagramOutage, ARoundTripThatBecomesASecondIsLearnt) {
  ByDatagrams d;
  d.show(3s, 1000);
  d.call.net.link().delay = 500ms;
  d.show(5s, 1000);
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    d.show(100ms, 1000);
    failed += !d.signals(Side::kServer).udp;
  }
  EXPECT_LE(failed, 5);
  d.expect_settled();
}

// What proves both addresses is three datagrams: what is asked, an answer that asks, an answer.
TEST(DatagramOutage, AnAnswerToAStrangerAsks) {
  SimulatedNetwork net({.delay = 30ms}, with(Datagrams::kAuto), with(Datagrams::kAuto));
  const auto open = [&](Side side) { return net.engine(side).signals(net.now()).udp; };
  while (net.udp.sent == 0) net.run_for(1ms);
  net.run_for(59ms);
  EXPECT_FALSE(open(Side::kClient));
  EXPECT_EQ(net.udp.sent_by_server, 1);
  net.run_for(45ms);
  EXPECT_TRUE(open(Side::kClient));
  EXPECT_TRUE(open(Side::kServer));
}

// Of a blink nothing is taken for new: no rate is restored that a slow path has just taken away.
TEST(DatagramOutage, ABlinkIsNoOutage) {
  ByDatagrams d;
  d.show(3s);
  d.call.server.slowed.clear();
  d.call.net.udp.blocked = true;
  d.call.net.outage(400ms);
  d.show(400ms);
  d.call.net.udp.blocked = false;
  d.show(2s);
  for (const PathRate& told : d.call.server.slowed) {
    EXPECT_NE(told.reason, PathRate::Reason::kRestored);
  }
  d.expect_settled();
}

TEST(DatagramOutage, ContentGoesOnWhileNoSocketIsLeft) {
  ByDatagrams d;
  d.show(2s);
  d.call.net.failing_dials = 20;
  d.call.net.cut_all({Side::kClient, Side::kServer});
  const int before = d.delivered();
  d.show(1s);
  EXPECT_GT(d.delivered() - before, 25);
  d.call.net.failing_dials = 0;
  d.expect_settled();
}

}  // namespace
}  // namespace paceline
