// The promises of a session on a sound path: messages arrive whole, important ones first, late ones
// not at all.
#include "transport/session/session_engine.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""_B;
using qvid::operator""_KiB;
using qvid::operator""ms;
using qvid::operator""s;

TEST(SessionEngine, EstablishesAndMeasuresTheRoundTrip) {
  Call call;
  for (const Side side : {Side::kClient, Side::kServer}) {
    ASSERT_TRUE(call.net.engine(side).established());
    const SessionSignals signals = call.net.engine(side).signals(call.net.now());
    EXPECT_NEAR(qvid::to_ms(signals.rtt), 30, 2);
    EXPECT_EQ(signals.channels, 3u);
    EXPECT_FALSE(signals.interrupted);
  }
  EXPECT_EQ(call.net.client().peer_limits().max_message, Limits{}.max_message);
}

TEST(SessionEngine, MessagesOfManySizesArriveBothWays) {
  Call call({.rate = qvid::DataRate::from_kbps(100'000), .cwnd = 300});
  for (const std::size_t size :
       {0u, 1u, 511u, 512u, 1399u, 1400u, 1401u, 16'384u, 65'536u, 1'000'000u}) {
    EXPECT_TRUE(call.send(Side::kClient, size, static_cast<int>(size % 256)));
    EXPECT_TRUE(call.send(Side::kServer, size));
  }
  call.net.run_for(5s);
  EXPECT_EQ(call.client.ledger.total(), 10);
  EXPECT_EQ(call.server.ledger.total(), 10);
  call.expect_all_delivered();
  EXPECT_EQ(call.net.client().signals(call.net.now()).unacked, 0_B);
}

TEST(SessionEngine, ImportantMessageOvertakesALargeOne) {
  for (const char* controller : {"pace", "adapt", "sock"}) {
    SCOPED_TRACE(controller);
    SessionConfig config;
    config.controller.name = controller;
    Call call({}, config, config);
    call.send(Side::kClient, 500'000, 1);
    call.net.run_for(100ms);
    call.send(Side::kClient, 1000, 2);
    const Timestamp sent = call.net.now();
    Timestamp arrived = qvid::kNever;
    call.on_arrived = [&](const MessageArrived& m) {
      if (m.position == Position(2)) arrived = call.net.now();
    };
    call.net.run_for(5s);
    EXPECT_EQ(call.order, (std::vector<std::uint64_t>{2, 1}));
    EXPECT_LT(qvid::to_ms(arrived - sent), 75);  // the rest of the large one takes 400
  }
}

// Nothing starts on its way once its deadline has come, also where the timer is late.
// Before a message is late: what an encoder is to follow.
TEST(SessionEngine, APathThatBecomesSlowIsTold) {
  SessionConfig config;
  config.controller.name = "pace";
  Call call({.rate = qvid::DataRate::from_kbps(4000), .cwnd = 60}, config);
  const auto video = [&](Duration time) {
    for (const Timestamp until = call.net.now() + time; call.net.now() < until;) {
      call.send(Side::kClient, 9000, 0, call.net.now() + 200ms);
      call.net.run_for(Duration(1s) / 30);
    }
  };
  video(1s);  // whose start-up may meet what the line carries
  call.client.slowed.clear();
  video(9s);
  EXPECT_TRUE(call.client.slowed.empty());
  call.net.link().rate = qvid::DataRate::from_kbps(600);
  video(250ms);
  ASSERT_FALSE(call.client.slowed.empty());
  EXPECT_NEAR(call.client.slowed.back().rate.kbps(), 600, 200);
  EXPECT_LE(call.client.slowed.size(), 4u);
}

TEST(SessionEngine, ExpiredMessageIsNotWritten) {
  Call call;
  call.send(Side::kClient, 1000, 0, call.net.now() + 10ms);
  WriteBatch batch;
  call.net.client().produce(call.net.active(Side::kClient), batch, call.net.now() + 10ms,
                            64 * 1024);
  std::vector<SessionEvent> events;
  call.net.client().take_events(events);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<MessageEnded>(events[0]).outcome, Outcome::kCancelled);
}

TEST(SessionEngine, CloseReasonReachesThePeer) {
  Call call;
  call.net.client().close("enough for today");
  call.net.run_for(1s);
  ASSERT_TRUE(call.client.closed && call.server.closed);
  EXPECT_EQ(call.client.closed->reason, CloseReason::kLocal);
  EXPECT_EQ(call.server.closed->reason, CloseReason::kPeer);
  EXPECT_EQ(call.server.closed->detail, "enough for today");
}

TEST(SessionEngine, StreamCloseReachesThePeer) {
  Call call;
  const StreamId stream = call.net.client().open_stream();
  std::vector<StreamId> closed;
  call.net.on_server_event([&](SessionEvent&& e) {
    if (const auto* c = std::get_if<StreamClosedByPeer>(&e)) closed.push_back(c->stream);
  });
  ASSERT_TRUE(call.send(Side::kClient, 300'000, 0, qvid::kNever, stream));
  call.net.run_for(50ms);
  call.net.client().close_stream(stream);
  call.net.run_for(1s);
  EXPECT_EQ(closed, std::vector{stream});
  EXPECT_EQ(call.client.ledger.count(Outcome::kCancelled), 1);
}

// The peer's socket is full and stays so: what waits is bounded, and every message ends.
TEST(SessionEngine, NothingGrowsWhenThePeerStopsReading) {
  SessionConfig config;
  config.send_capacity = 256_KiB;
  Call call({}, config, config);
  call.net.stop_reading(Side::kServer, true);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 10; ++k) refused += !call.send(Side::kClient, 10'000);
    const SessionSignals signals = call.net.client().signals(call.net.now());
    EXPECT_LE(signals.queued, 256_KiB);
    EXPECT_LE(signals.unacked, 512_KiB);
    EXPECT_LE(signals.channels, SessionEngine::kMaxChannels);
    call.net.run_for(1s);
  }
  EXPECT_GT(refused, 800);
  ASSERT_TRUE(call.client.closed);
  EXPECT_EQ(call.client.closed->reason, CloseReason::kTimeout);
  call.client.ledger.expect_settled();
}

TEST(SessionEngine, WritableFollowsARefusal) {
  SessionConfig config;
  config.send_capacity = 100_KiB;
  Call call({}, config, config);
  while (call.send(Side::kClient, 10'000)) continue;
  EXPECT_EQ(call.client.writable, 0);
  call.net.run_for(1s);
  EXPECT_EQ(call.client.writable, 1);
  EXPECT_TRUE(call.send(Side::kClient, 10'000));
  call.net.run_for(1s);
  call.expect_all_delivered();
}

}  // namespace
}  // namespace paceline
