// A channel stalls or dies and content goes on over another: nothing is lost, nothing comes twice,
// and the application need do nothing.
#include <gtest/gtest.h>

#include <string>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

constexpr Duration kThreshold = 225ms;  // of a path of 30 ms

std::uint64_t failovers(Call& call, Side of) {
  return call.net.engine(of).signals(call.net.now()).failovers;
}
std::uint64_t peer_failovers(Call& call, Side of) {
  return call.net.engine(of).signals(call.net.now()).peer_failovers;
}

TEST(Failover, StallOfTheActiveChannelLosesNothing) {
  for (const Side from : {Side::kClient, Side::kServer}) {
    SCOPED_TRACE(from == Side::kClient ? "client" : "server");
    Call call;
    call.talk(3s);
    const ChannelId stalled = call.net.active(from);
    const auto before = call.net.channels();
    ASSERT_EQ(before.size(), 3u);
    call.net.stall(stalled, 30s);
    call.talk(2s);
    EXPECT_NE(call.net.active(from), stalled);
    // Its place was taken, and the other direction went on where it was.
    const auto after = call.net.channels();
    EXPECT_EQ(after.size(), 3u);
    EXPECT_EQ(std::ranges::count(after, stalled), 0);
    EXPECT_EQ(failovers(call, other_side(from)), 0u);
    call.talk(2s);
    call.net.run_for(2s);
    call.expect_all_delivered();

    const auto sent = call.end(from).failovers_of(true);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].counter, 1u);
    EXPECT_FALSE(sent[0].reason.empty());
    EXPECT_GE(sent[0].gap, kThreshold);
    EXPECT_LE(sent[0].gap, kThreshold + 150ms);
    const auto received = call.end(other_side(from)).failovers_of(false);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].counter, 1u);
    EXPECT_GE(received[0].gap, kThreshold - 40ms);
    EXPECT_LE(received[0].gap, kThreshold + 150ms);
  }
}

TEST(Failover, CanBeOff) {
  SessionConfig config;
  config.failover = false;
  Call call({}, config, config);
  call.talk(3s);
  const ChannelId stalled = call.net.active(Side::kClient);
  call.net.stall(stalled, 2s);
  call.talk(4s);
  call.net.run_for(2s);
  EXPECT_EQ(call.net.active(Side::kClient), stalled);
  EXPECT_EQ(failovers(call, Side::kClient), 0u);
  call.expect_all_delivered();
}

TEST(Failover, BothDirectionsAtOnce) {
  Call call;
  call.talk(3s);
  for (const Side from : {Side::kClient, Side::kServer}) call.net.stall(call.net.active(from), 30s);
  call.talk(3s);
  call.net.run_for(2s);
  call.expect_all_delivered();
  for (const Side side : {Side::kClient, Side::kServer}) {
    EXPECT_GE(failovers(call, side), 1u);
    EXPECT_LE(failovers(call, side), 3u);  // both may take the standby, and one its peer's
    EXPECT_EQ(failovers(call, side), peer_failovers(call, other_side(side)));
  }
  EXPECT_NE(call.net.active(Side::kClient), call.net.active(Side::kServer));
}

TEST(Failover, OnlyOneDirectionOfTheChannelStalls) {
  for (const Side from : {Side::kClient, Side::kServer}) {
    Call call;
    call.talk(1s);
    call.net.stall(call.net.active(Side::kClient), from, 30s);  // the content, or its acks
    call.talk(3s);
    call.net.run_for(1s);
    call.expect_all_delivered();
    EXPECT_EQ(failovers(call, Side::kClient), 1u);
    EXPECT_EQ(peer_failovers(call, Side::kServer), 1u);
  }
}

TEST(Failover, ManyInARowStayInStep) {
  Call call;
  for (std::uint64_t i = 1; i <= 12; ++i) {
    call.talk(400ms);
    call.net.stall(call.net.active(Side::kClient), 30s);
    call.talk(1s);
    EXPECT_EQ(failovers(call, Side::kClient), i);
    EXPECT_EQ(peer_failovers(call, Side::kServer), i);
    EXPECT_EQ(call.client.failovers.back().counter, i);
  }
  call.net.run_for(1s);
  call.expect_all_delivered();
  EXPECT_FALSE(call.client.closed);
}

// The stall ends just after the failover: what comes late from the old channel is ignored.
TEST(Failover, FalseAlarmIsHarmless) {
  for (const Duration stall : {226ms, 235ms, 250ms, 280ms, 400ms}) {
    SCOPED_TRACE(qvid::to_ms(stall));
    Call call;
    call.talk(1s, 10'000);
    call.net.stall(call.net.active(Side::kClient), Side::kServer, stall);  // acks only
    call.talk(2s, 10'000);
    call.net.run_for(1s);
    EXPECT_EQ(failovers(call, Side::kClient), 1u);
    call.expect_all_delivered();
    EXPECT_GT(call.net.server().signals(call.net.now()).duplicates, 0u);
  }
}

TEST(Failover, ShortStallsAreNone) {
  Call call;
  call.talk(1s);
  for (int i = 0; i < 10; ++i) {
    call.net.stall(call.net.active(Side::kClient), 150ms);
    call.talk(500ms);
  }
  EXPECT_EQ(failovers(call, Side::kClient), 0u);
}

TEST(Failover, CutThatIsToldIsAnsweredAtOnce) {
  Call call;
  call.talk(1s);
  call.send(Side::kClient, 2000);
  call.net.run_for(5ms);
  call.net.cut(call.net.active(Side::kClient), {Side::kClient, Side::kServer});
  call.talk(1s);
  call.net.run_for(1s);
  call.expect_all_delivered();
  ASSERT_EQ(call.client.failovers_of(true).size(), 1u);
  EXPECT_LE(call.client.failovers_of(true)[0].gap, 60ms);
  EXPECT_EQ(call.client.failovers_of(true)[0].reason, "cut");
}

TEST(Failover, CutThatOneEndKnowsOf) {
  for (const Side told : {Side::kClient, Side::kServer}) {
    for (const Side of : {Side::kClient, Side::kServer}) {
      Call call;
      call.talk(1s);
      call.net.cut(call.net.active(of), {told});
      call.talk(2s);
      call.net.run_for(15s);
      call.expect_all_delivered();
      EXPECT_FALSE(call.client.closed || call.server.closed);
      EXPECT_EQ(call.net.channels().size(), 3u);
    }
  }
}

TEST(Failover, WithoutAStandbyItGoesOnWhenThePathDoes) {
  SessionConfig config;
  config.standby = 0;
  config.separate_directions = false;
  Call call({}, config);
  call.talk(1s);
  ASSERT_EQ(call.net.channels().size(), 1u);
  call.net.stall(kFirstChannel, 4s);
  call.talk(5s);
  call.net.run_for(1s);
  call.expect_all_delivered();
  EXPECT_EQ(failovers(call, Side::kClient), 0u);
  EXPECT_TRUE(call.client.interruptions.empty());
  EXPECT_EQ(call.net.active(Side::kClient), kFirstChannel);
}

// What was partly written and is then cancelled is written again as empty records.
TEST(Failover, CancelledMeanwhile) {
  Call call;
  call.talk(1s);
  std::size_t chunk_bytes = 0;
  std::vector<MessageId> ids;
  call.net.stall(call.net.active(Side::kClient), 30s);
  for (int i = 0; i < 4; ++i) ids.push_back(*call.send(Side::kClient, 100'000, i));
  call.net.run_for(150ms);
  for (const MessageId id : ids) EXPECT_TRUE(call.net.client().cancel(id));
  call.net.on_record([&](Side from, ChannelId, const Record& record) {
    const auto* chunk = std::get_if<Chunk>(&record);
    if (from == Side::kClient && chunk != nullptr) chunk_bytes += chunk->bytes.size();
  });
  call.net.run_for(1s);
  EXPECT_EQ(failovers(call, Side::kClient), 1u);
  EXPECT_EQ(chunk_bytes, 0u);
  EXPECT_EQ(call.client.ledger.count(Outcome::kCancelled), 4);
  call.send(Side::kClient, 100'000);
  call.net.run_for(2s);
  EXPECT_FALSE(call.client.closed || call.server.closed);
  call.client.ledger.expect_settled();
}

// Cancelled between two writes of its chunks: some came, some never will.
TEST(Failover, CancelledBetweenTwoFailovers) {
  Call call;
  call.talk(1s);
  const auto id = call.send(Side::kClient, 400'000);
  call.net.run_for(60ms);
  call.net.stall(call.net.active(Side::kClient), 30s);
  call.net.run_for(260ms);  // over the new channel, it is being written again
  ASSERT_EQ(failovers(call, Side::kClient), 1u);
  EXPECT_TRUE(call.net.client().cancel(*id));
  call.net.stall(call.net.active(Side::kClient), 30s);
  call.talk(3s);
  call.net.run_for(1s);
  EXPECT_FALSE(call.client.closed || call.server.closed);
  call.client.ledger.expect_settled();
  call.server.ledger.expect_settled();
  EXPECT_EQ(call.client.ledger.count(Outcome::kCancelled), 1);
}

}  // namespace
}  // namespace paceline
