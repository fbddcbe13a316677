// Every socket is gone: the session goes on when there is one again, or ends with the truth about
// what was not delivered.
#include <gtest/gtest.h>

#include <string>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""h;
using qvid::operator""ms;
using qvid::operator""s;

TEST(Resumption, AfterTwentySecondsEverythingArrivesOnce) {
  Call call;
  call.talk(2s);
  const Timestamp begin = call.net.now();
  call.net.outage(20s);
  call.talk(20s, 500);
  EXPECT_TRUE(call.net.client().signals(call.net.now()).interrupted);
  call.talk(5s, 500);
  call.net.run_for(2s);
  call.expect_all_delivered();
  for (const Side side : {Side::kClient, Side::kServer}) {
    const Call::End& end = call.end(side);
    ASSERT_EQ(end.interruptions.size(), 1u);
    EXPECT_FALSE(end.interruptions[0].detail.empty());
    ASSERT_EQ(end.resumptions.size(), 1u);
    // No sign of life for ten seconds, then the rest of the outage and a dial.
    EXPECT_GE(end.resumptions[0].outage, 9s);
    EXPECT_LE(end.resumptions[0].outage, 12s);
    const SessionSignals signals = call.net.engine(side).signals(call.net.now());
    EXPECT_EQ(signals.resumptions, 1u);
    EXPECT_EQ(signals.channels, 3u);
    EXPECT_FALSE(signals.interrupted);
    ASSERT_FALSE(end.failovers_of(true).empty());
    EXPECT_LE(end.failovers_of(true).back().gap, call.net.now() - begin);
    EXPECT_GE(end.failovers_of(true).back().gap, 19s);
  }
}

// Both ends fail over at once then; neither may take from the other the socket it goes on over.
TEST(Resumption, AShortOutageOfTheWholePathInterruptsNothing) {
  for (const std::size_t standby : {0u, 1u, 2u, 3u}) {
    for (const Duration outage : {300ms, 600ms, 1000ms, 2000ms, 5000ms}) {
      SCOPED_TRACE(testing::Message() << standby << " standbys, " << qvid::to_ms(outage) << " ms");
      SessionConfig config;
      config.standby = standby;
      config.resume_limit = {};
      config.small_segments = false;  // whose socket would count too
      Call call({}, config, config);
      call.talk(2s);
      call.net.outage(outage);
      call.talk(outage, 500);
      call.talk(3s, 500);
      call.net.run_for(15s);  // a socket that was left in the outage is found dead after ten
      call.expect_all_delivered();
      EXPECT_TRUE(call.client.interruptions.empty());
      EXPECT_TRUE(call.server.interruptions.empty());
      EXPECT_EQ(call.net.channels().size(), 2 + standby);
    }
  }
}

TEST(Resumption, SocketsThatAreCutAreReplacedAtOnce) {
  for (int i = 0; i < 3; ++i) {
    Call call;
    call.talk(1s, 20'000);
    if (i == 0) call.net.cut_all({Side::kClient, Side::kServer});
    if (i == 1) call.net.cut_all({Side::kClient});
    if (i == 2) call.net.cut_all({Side::kServer});
    call.talk(1s);
    call.net.run_for(15s);
    call.expect_all_delivered();
    EXPECT_EQ(call.net.channels().size(), 3u);
    const Call::End& told = i == 2 ? call.server : call.client;
    ASSERT_EQ(told.interruptions.size(), 1u);
    EXPECT_EQ(told.interruptions[0].detail, "cut");
    ASSERT_EQ(told.resumptions.size(), 1u);
    if (i != 2) {
      EXPECT_LE(told.resumptions[0].outage, 200ms);
    }
  }
}

TEST(Resumption, ManyInARow) {
  Call call;
  for (int i = 0; i < 10; ++i) {
    call.talk(300ms, 10'000);
    call.net.cut_all({Side::kClient, Side::kServer});
    call.talk(700ms, 10'000);
  }
  call.net.run_for(3s);
  call.expect_all_delivered();
  EXPECT_EQ(call.client.resumptions.size(), 10u);
  EXPECT_EQ(call.server.resumptions.size(), 10u);
}

// Several are dialled at once to resume; those that are not wanted go again.
TEST(Resumption, LeavesNoSocketsOver) {
  SessionConfig config;
  config.standby = 0;
  config.separate_directions = false;
  Call call({}, config);
  call.net.outage(15s);
  call.net.dial_delay = 2500ms;
  call.talk(30s, 100);
  call.net.run_for(5s);
  EXPECT_EQ(call.client.resumptions.size(), 1u);
  EXPECT_LE(call.net.channels().size(), 2u);  // each end may have gone on over another
  call.expect_all_delivered();
}

TEST(Resumption, DialsThatFailAreTriedAgainButNotTooOften) {
  Call call;
  call.talk(1s);
  call.net.failing_dials = 1'000'000;
  const int before = call.net.dials();
  call.net.cut_all({Side::kClient, Side::kServer});
  call.net.run_for(30s);
  EXPECT_GE(call.net.dials() - before, 10);
  EXPECT_LE(call.net.dials() - before, 60);
  call.net.failing_dials = 0;
  call.talk(3s);
  call.net.run_for(2s);
  call.expect_all_delivered();
  EXPECT_EQ(call.client.resumptions.size(), 1u);
}

TEST(Resumption, AfterTheLimitEverythingUndeliveredIsLost) {
  SessionConfig client;
  client.resume_limit = 30s;  // the shorter one holds
  Call call({}, client);
  call.talk(1s);
  call.net.run_for(1s);
  call.expect_all_delivered();
  const int delivered = call.client.ledger.total();
  call.net.outage(1h);
  call.talk(15s, 500);
  for (int i = 0; i < 5; ++i) call.send(Side::kClient, 200'000);
  const Timestamp begin = call.net.now();
  ASSERT_TRUE(call.net.run_until([&] { return call.client.closed && call.server.closed; }, 60s));
  EXPECT_LE(call.net.now() - begin, 27s);
  for (const Side side : {Side::kClient, Side::kServer}) {
    const Call::End& end = call.end(side);
    EXPECT_EQ(end.closed->reason, CloseReason::kTimeout);
    EXPECT_FALSE(end.closed->detail.empty());
    EXPECT_EQ(end.interruptions.size(), 1u);
    end.ledger.expect_settled();
    EXPECT_EQ(end.ledger.count(Outcome::kDelivered), delivered);
    EXPECT_EQ(end.ledger.count(Outcome::kLost), end.ledger.total() - delivered);
  }
  call.net.run_for(1h);  // harmless
}

TEST(Resumption, LimitOfZeroIsNoResumption) {
  for (const Side side : {Side::kClient, Side::kServer}) {
    SessionConfig none;
    none.resume_limit = {};
    Call call({}, side == Side::kClient ? none : SessionConfig{},
              side == Side::kServer ? none : SessionConfig{});
    call.send(Side::kClient, 10'000);
    call.net.cut_all({Side::kClient, Side::kServer});
    call.net.run_for(1ms);
    ASSERT_TRUE(call.client.closed && call.server.closed);
    EXPECT_EQ(call.client.closed->reason, CloseReason::kConnectionLost);
    EXPECT_EQ(call.client.closed->detail, "cut");
    EXPECT_EQ(call.client.ledger.count(Outcome::kLost), 1);
    EXPECT_TRUE(call.client.interruptions.empty());
  }
}

TEST(Resumption, ServerThatWasRestartedKnowsNoSession) {
  Call call;
  call.talk(1s);
  call.net.run_for(1s);
  const int delivered = call.client.ledger.total();
  call.net.restart_server();
  for (int i = 0; i < 3; ++i) call.send(Side::kClient, 1000);
  call.net.run_for(5s);
  ASSERT_TRUE(call.client.closed);
  EXPECT_EQ(call.client.closed->reason, CloseReason::kUnknownSession);
  EXPECT_EQ(call.client.ledger.count(Outcome::kLost), 3);
  EXPECT_EQ(call.client.ledger.count(Outcome::kDelivered), delivered);
}

TEST(Resumption, SendAndCancelWhileInterrupted) {
  Call call;
  call.talk(1s);
  call.net.run_for(1s);
  call.net.outage(20s);
  call.send(Side::kClient, 1000);
  call.net.run_for(12s);
  ASSERT_TRUE(call.net.client().signals(call.net.now()).interrupted);
  const auto kept = call.send(Side::kClient, 1000);
  const auto cancelled = call.send(Side::kClient, 1000);
  const auto late = call.send(Side::kClient, 1000, 0, call.net.now() + 2s);
  const StreamId stream = call.net.client().open_stream();
  const auto closed = call.send(Side::kClient, 1000, 0, qvid::kNever, stream);
  ASSERT_TRUE(kept && cancelled && late && closed);
  EXPECT_TRUE(call.net.client().cancel(*cancelled));
  call.net.client().close_stream(stream);
  call.net.run_for(20s);
  call.client.ledger.expect_settled();
  EXPECT_EQ(call.client.ledger.count(Outcome::kCancelled), 3);
  EXPECT_EQ(call.client.ledger.count(Outcome::kLost), 0);
}

TEST(Resumption, CloseWhileInterruptedEndsAtOnce) {
  Call call;
  call.talk(1s);
  call.net.outage(20s);
  call.net.run_for(12s);
  call.net.client().close("enough");
  call.net.run_for(1ms);
  ASSERT_TRUE(call.client.closed);
  EXPECT_EQ(call.client.closed->reason, CloseReason::kLocal);
  call.net.run_for(80s);
  ASSERT_TRUE(call.server.closed);
  EXPECT_EQ(call.server.closed->reason, CloseReason::kTimeout);
}

}  // namespace
}  // namespace paceline
