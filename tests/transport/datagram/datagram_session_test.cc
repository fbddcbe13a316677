// Sessions whose content goes by datagrams, in virtual time: over what networks do to datagrams, and
// to TCP beside them.
#include <gtest/gtest.h>

#include <random>

#include "tests/transport/datagram/by_datagrams.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

TEST(DatagramSession, ContentGoesByDatagramsWhereBothWantThem) {
  ByDatagrams d;
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  d.show(5s);
  EXPECT_EQ(d.signals(Side::kServer).datagrams, 151u);
  d.expect_settled();
  EXPECT_EQ(d.signals(Side::kClient).datagrams_received, 151u);
  EXPECT_EQ(d.delivered(), 151);
  EXPECT_EQ(d.signals(Side::kServer).unacked, ByteCount());
}

TEST(DatagramSession, NoneGoWhereOneDoesNotWantThem) {
  for (const auto& [client, server] : {std::pair(Datagrams::kNever, Datagrams::kAuto),
                                       std::pair(Datagrams::kAuto, Datagrams::kNever)}) {
    ByDatagrams d(client, server);
    d.show(2s);
    d.expect_settled();
    EXPECT_EQ(d.call.net.udp.sent, 0);
    EXPECT_EQ(d.delivered(), 61);
  }
}

TEST(DatagramSession, WhatKeepsItsPlaceGoesOverTcp) {
  ByDatagrams d;
  for (int i = 0; i < 30; ++i) {
    d.call.send(Side::kServer, 3000);  // without a deadline
    d.call.net.run_for(30ms);
  }
  d.expect_settled();
  EXPECT_EQ(d.signals(Side::kServer).datagrams, 0u);
  EXPECT_EQ(d.delivered(), 30);
}

TEST(DatagramSession, ALossDelaysNothingBehindIt) {
  ByDatagrams d;
  std::map<std::uint64_t, Timestamp> sent, arrived;
  d.call.on_arrived = [&](const MessageArrived& m) {
    arrived[m.position.value()] = d.call.net.now();
  };
  d.call.net.udp.loss = 0.02;
  int late = 0;
  for (int i = 0; i < 900; ++i) {
    sent[d.call.next_tag] = d.call.net.now();
    d.call.send(Side::kServer, 1000, 100, d.call.net.now() + 1s);
    d.call.net.run_for(Duration(1s) / 30);
  }
  d.expect_settled();
  for (const auto& [tag, at] : sent) {
    if (!arrived.contains(tag) || arrived[tag] > at + 40ms) ++late;
  }
  EXPECT_LT(late, 40);  // about what was lost
  EXPECT_EQ(d.delivered(), 900);
  EXPECT_GT(d.signals(Side::kServer).datagrams_lost, 5u);
}

// As of a picture's detail: what is left of it fills no datagram behind a header while a base waits.
TEST(DatagramSession, TheRestOfALargeMessageOvertakesNothingMoreImportant) {
  ByDatagrams d;
  std::map<std::uint64_t, Timestamp> arrived;
  d.call.on_arrived = [&](const MessageArrived& m) {
    arrived[m.position.value()] = d.call.net.now();
  };
  const auto send = [&](std::size_t size, int importance) {
    const std::uint64_t tag = d.call.next_tag;
    d.call.send(Side::kServer, size, importance, d.call.net.now() + 5s);
    return tag;
  };
  const std::uint64_t large = send(30'000, 100);
  for (int i = 0; i < 30; ++i) send(45, 120);
  const std::uint64_t base = send(2000, 110);
  d.expect_settled();
  EXPECT_EQ(d.signals(Side::kServer).datagrams, 32u);
  ASSERT_TRUE(arrived.contains(large) && arrived.contains(base));
  EXPECT_LT(arrived[base], arrived[large]);
}

// More is sent than the path takes. What is given up is given up whole: of what has begun the rest
// goes, too, and does not wait for its deadline at a gate that is shut.
TEST(DatagramSession, WhatHasBegunIsSeldomGivenUp) {
  ByDatagrams d;
  d.call.net.udp.limit = qvid::DataRate::from_kbps(250);
  d.show(20s, 2000, 250ms);
  d.expect_settled();
  const SessionSignals signals = d.signals(Side::kServer);
  EXPECT_GT(signals.messages_cancelled, 50u);
  const ByteCount given_up(2000 * static_cast<std::int64_t>(signals.messages_cancelled));
  const ByteCount wasted = given_up - signals.cancelled;
  EXPECT_LT(wasted, ByteCount(30'000));
}

// By itself, and beside a picture that fills each datagram behind it.
TEST(DatagramSession, WhatIsUrgentGoesTwiceWhereDatagramsAreLost) {
  for (const std::size_t picture : {0u, 8000u}) {
    ByDatagrams d;
    std::map<std::uint64_t, Timestamp> sent, arrived;
    d.call.on_arrived = [&](const MessageArrived& m) {
      arrived[m.position.value()] = d.call.net.now();
    };
    const auto speak = [&](int packets) {
      for (int i = 0; i < packets; ++i) {
        if (picture > 0 && i % 3 == 0) {
          d.call.send(Side::kServer, picture, 100, d.call.net.now() + 300ms);
        }
        sent[d.call.next_tag] = d.call.net.now();
        d.call.send(Side::kServer, 100, 254, d.call.net.now() + 1s);
        d.call.net.run_for(10ms);
      }
    };
    d.call.net.udp.loss = 0.1;
    speak(500);  // until it is known
    d.call.net.run_for(1s);
    sent.clear();
    speak(3000);
    d.call.net.udp.loss = 0;
    d.call.net.run_for(1s);
    int late = 0;
    for (const auto& [tag, at] : sent) late += !arrived.contains(tag) || arrived[tag] > at + 45ms;
    EXPECT_LT(late, 100) << picture;  // of 300 lost, those whose copy was lost, too
    EXPECT_GT(late, 5) << picture;
    const SessionSignals server = d.signals(Side::kServer);
    if (picture == 0) {
      EXPECT_EQ(server.datagrams, 3500u);
    }
    d.expect_settled();
    EXPECT_LE(d.signals(Side::kClient).datagrams_received,
              d.signals(Side::kClient).messages_received)
        << picture;
  }
}

TEST(DatagramSession, AtTwoPercentOfLossThePathIsUsed) {
  ByDatagrams d(Datagrams::kAuto, Datagrams::kAuto,
                {.rate = qvid::DataRate::from_kbps(4000), .delay = 30ms});
  d.call.net.udp.loss = 0.02;
  d.show(3s);
  const int before = d.delivered();
  d.show(20s, 10'000, 500ms);  // 2.4 Mbit/s
  EXPECT_GT(d.delivered() - before, 580);
  d.expect_settled();
}

TEST(DatagramSession, WhatExpiredIsNotSentAgain) {
  ByDatagrams d;
  d.call.net.udp.loss = 0.1;
  d.show(10s, 6000, 70ms);  // a repair would take 100 ms
  d.expect_settled();
  EXPECT_GT(d.call.server.ledger.count(Outcome::kLost), 20);
  EXPECT_GT(d.delivered(), 100);
}

TEST(DatagramSession, ReorderingAndCopiesDoNoHarm) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    ByDatagrams d;
    d.call.net.udp = SimulatedDatagrams(seed);
    d.call.net.udp.jitter = 15ms;
    d.call.net.udp.copies = 0.3;
    d.show(10s);
    // What was taken for lost once is enough to know how wide it is.
    EXPECT_LE(d.signals(Side::kServer).datagrams_lost, 10u) << seed;
    d.expect_settled();
    EXPECT_EQ(d.delivered(), 301) << seed;
  }
}

TEST(DatagramSession, WhereNonePassAllGoesOverTcp) {
  ByDatagrams d;
  d.call.net.udp.blocked = true;  // before any content
  d.call.net.run_for(1s);
  d.show(2s);
  d.expect_settled();
  EXPECT_EQ(d.delivered(), 61);
  EXPECT_FALSE(d.signals(Side::kServer).udp);
}

TEST(DatagramSession, ANatThatForgetsIsFollowed) {
  ByDatagrams d;
  d.show(3s);
  for (int i = 0; i < 3; ++i) {
    d.call.net.udp.rebind();
    d.show(4s);
    EXPECT_TRUE(d.signals(Side::kServer).udp);
    const auto before = d.signals(Side::kServer).datagrams;
    d.show(1s);
    EXPECT_GE(d.signals(Side::kServer).datagrams - before, 29u);
  }
  d.expect_settled();
  EXPECT_EQ(d.delivered(), d.call.server.ledger.total());
}

TEST(DatagramSession, ALongWayIsNoFailure) {
  ByDatagrams d(Datagrams::kAuto, Datagrams::kAuto, {.delay = 400ms});
  d.call.net.run_for(5s);
  d.show(20s, 3000, 5s);
  EXPECT_TRUE(d.signals(Side::kServer).udp);
  EXPECT_GT(d.signals(Side::kServer).datagrams, 550u);
  d.expect_settled();
  EXPECT_EQ(d.delivered(), d.call.server.ledger.total());
}

TEST(DatagramSession, WhatStallsOnTcpDoesNotSlowIt) {
  ByDatagrams d;
  d.show(3s);
  for (int i = 0; i < 5; ++i) {
    d.call.net.stall(d.call.net.active(Side::kServer), 1s);
    const int before = d.delivered();
    d.show(1s);
    EXPECT_GE(d.delivered() - before, 28);
  }
  d.expect_settled();
}

TEST(DatagramSession, ALimitedPathIsLeftToTcp) {
  ByDatagrams d(Datagrams::kAuto, Datagrams::kAuto, {.delay = 30ms, .cwnd = 60});
  d.show(3s);
  d.call.net.udp.limit = qvid::DataRate::from_kbps(300);
  d.show(8s, 6000, 400ms);
  const int before = d.delivered();
  d.show(4s, 6000, 400ms);
  EXPECT_GT(d.delivered() - before, 110);  // of 120, by TCP
  d.expect_settled();
}

TEST(DatagramSession, APathThatPassesHardlyAnythingIsNoticedAtOnce) {
  ByDatagrams d(Datagrams::kAuto, Datagrams::kAuto, {.delay = 30ms, .cwnd = 60});
  d.call.net.udp.policed = qvid::DataRate::from_kbps(300);
  d.show(2s, 6000, 400ms);
  EXPECT_GE(d.delivered(), 55);  // of 61
  d.expect_settled();
}

TEST(DatagramSession, ALargerDatagramIsTriedAndASmallPathServedAllTheSame) {
  for (const std::size_t largest : {1472u, 1280u}) {
    ByDatagrams d;
    d.call.net.udp.largest = largest;
    d.show(3s, 20'000);
    d.expect_settled();
    EXPECT_EQ(d.delivered(), 91);
  }
}

TEST(DatagramSession, OnlyWaitsForDatagramsAndEndsWithoutThem) {
  ByDatagrams d(Datagrams::kOnly, Datagrams::kAuto);
  d.show(2s);
  EXPECT_FALSE(d.call.client.closed);
  ByDatagrams none(Datagrams::kOnly, Datagrams::kNever);
  none.call.net.run_for(1s);
  ASSERT_TRUE(none.call.client.closed);
  EXPECT_EQ(none.call.client.closed->reason, CloseReason::kRefused);
}

// Whatever happens to either way, each message arrives whole and once, or is said not to have.
TEST(DatagramSession, AnyNetworkKeepsTheBooks) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](unsigned n) { return static_cast<int>(random() % n); };
    ByDatagrams d;
    SimulatedNetwork& net = d.call.net;
    for (int step = 0; step < 400; ++step) {
      switch (pick(24)) {
        case 0: net.udp.loss = pick(3) == 0 ? 0.3 : 0.01 * pick(5); break;
        case 1: net.udp.blocked = pick(2) == 0; break;
        case 2: net.udp.rebind(); break;
        case 3: net.udp.jitter = pick(40) * 1ms; break;
        case 4: net.udp.copies = 0.1 * pick(5); break;
        case 5: net.udp.largest = pick(2) == 0 ? 1472 : 1300; break;
        case 6: net.outage(pick(1500) * 1ms); break;
        case 7: net.stall(net.active(Side::kServer), pick(500) * 1ms); break;
        case 8: net.cut(net.active(Side::kServer), {Side::kClient, Side::kServer}); break;
        default: {
          const Side side = pick(4) == 0 ? Side::kClient : Side::kServer;
          const bool expires = pick(5) != 0;
          const int importance = pick(4) == 0 ? 255 : pick(250);
          const auto id =
              d.call.send(side, static_cast<std::size_t>(pick(6) == 0 ? pick(40'000) : pick(3000)),
                          importance, expires ? net.now() + pick(800) * 1ms + 1ms : qvid::kNever);
          if (id && pick(12) == 0) net.engine(side).cancel(*id);
          net.run_for(pick(60) * 1ms);
        }
      }
    }
    net.udp.blocked = false;
    net.udp.loss = 0;
    net.run_for(30s);
    d.expect_settled();
  }
}

}  // namespace
}  // namespace paceline
