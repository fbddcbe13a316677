// The clock does what clocks of real hosts do: it jumps by hours when a host wakes up, and a time
// that was read before another may be handed in after it.
#include <gtest/gtest.h>

#include "tests/transport/call.h"
#include "transport/wire/write_record.h"

namespace paceline {
namespace {

using qvid::operator""h;
using qvid::operator""ms;
using qvid::operator""s;

TEST(Clock, JumpOfHoursInTheMiddleOfATransfer) {
  for (const Duration jump : {Duration(31s), Duration(59s), Duration(3h), Duration(100h)}) {
    SCOPED_TRACE(qvid::to_seconds(jump));
    Call call;
    call.talk(1s, 10'000);
    for (const Side from : {Side::kClient, Side::kServer}) call.send(from, 100'000);
    call.net.run_for(50ms);
    call.net.jump(jump);
    call.talk(5s);
    call.net.run_for(3s);
    EXPECT_FALSE(call.client.closed || call.server.closed);
    call.expect_all_delivered();
    EXPECT_EQ(call.net.channels().size(), 3u);
  }
}

TEST(Clock, JumpWhileInterrupted) {
  Call call;
  call.talk(1s);
  call.net.outage(30s);
  call.talk(12s, 500);
  call.net.jump(3h);
  call.net.run_for(10s);
  ASSERT_TRUE(call.client.closed);
  EXPECT_EQ(call.client.closed->reason, CloseReason::kTimeout);
  call.client.ledger.expect_settled();
}

TEST(Clock, SmallStepsBackAreHarmless) {
  Call call;
  for (int i = 0; i < 80; ++i) {
    call.talk(100ms, 10'000);
    call.net.jump(-7ms);
    if (i % 20 == 10) call.net.stall(call.net.active(Side::kClient), 400ms);
    if (i % 40 == 30) call.net.cut_all({Side::kClient, Side::kServer});
  }
  call.net.run_for(5s);
  call.expect_all_delivered();
  EXPECT_FALSE(call.client.closed || call.server.closed);
  for (const FailedOver& f : call.client.failovers) EXPECT_GE(f.gap, Duration::zero());
  for (const SessionResumed& r : call.client.resumptions) EXPECT_GE(r.outage, Duration::zero());
}

// A host that slept finds one socket readable before its timers run, with news of another one.
TEST(Clock, WhatIsReadFirstAfterAJumpDoesNotEndTheSession) {
  Call call;
  call.talk(1s);
  for (const Side side : {Side::kClient, Side::kServer}) {
    call.send(side, 100'000);
    call.net.run_for(20ms);
    call.net.stall(call.net.active(side), 2h);
    call.net.jump(1h);
    SessionEngine& engine = call.net.engine(side);
    std::vector<std::byte> probe;
    write_record(Probe{1}, probe);
    engine.receive(call.net.active(other_side(side)), probe, call.net.now());
    engine.on_timer(call.net.now());
    EXPECT_FALSE(engine.closed());
    call.talk(5s);
    EXPECT_FALSE(call.client.closed || call.server.closed);
  }
}

}  // namespace
}  // namespace paceline
