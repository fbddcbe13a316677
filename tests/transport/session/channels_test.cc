// How many sockets a session has, which of them carries what, and which are given up.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""min;
using qvid::operator""ms;
using qvid::operator""s;

TEST(Channels, AsManyStandbysAsAskedFor) {
  for (const bool separate : {false, true}) {
    for (std::size_t standby = 0; standby <= 8; ++standby) {
      SCOPED_TRACE(testing::Message() << standby << " standbys, separate " << separate);
      SessionConfig config;
      config.standby = standby;
      config.separate_directions = separate;
      Call call({}, config);
      call.talk(500ms);
      const std::size_t wanted = standby + (separate ? 2 : 1);
      EXPECT_EQ(call.net.channels().size(), wanted);
      if (standby > 0 || separate) {
        call.net.stall(call.net.active(Side::kClient), 60s);
        call.talk(2s);
        EXPECT_EQ(call.net.channels().size(), wanted);
        EXPECT_EQ(call.client.failovers_of(true).size(), 1u);
      }
      call.net.run_for(1s);
      call.expect_all_delivered();
      EXPECT_LE(call.net.dials(), static_cast<int>(wanted) + 1);
    }
  }
}

// Each direction has its own, and the acknowledgements come back on the content's channel.
TEST(Channels, DirectionsAreSeparate) {
  Call call;
  EXPECT_NE(call.net.active(Side::kClient), call.net.active(Side::kServer));
  std::map<Side, std::set<ChannelId>> content, acks;
  call.net.on_record([&](Side from, ChannelId channel, const Record& record) {
    if (std::holds_alternative<Chunk>(record)) content[from].insert(channel);
    if (std::holds_alternative<Ack>(record)) acks[from].insert(channel);
  });
  call.talk(2s);
  for (const Side side : {Side::kClient, Side::kServer}) {
    EXPECT_EQ(content[side], std::set{call.net.active(side)});
    EXPECT_EQ(acks[side], std::set{call.net.active(other_side(side))});
  }
}

TEST(Channels, DirectionsPartAgainAfterTheyHadToShare) {
  SessionConfig config;
  config.standby = 0;
  Call call({}, config);
  ASSERT_EQ(call.net.channels().size(), 2u);
  call.net.delays = {500ms};
  call.net.cut(call.net.active(Side::kClient), {Side::kClient, Side::kServer});
  call.talk(300ms);
  EXPECT_EQ(call.net.active(Side::kClient), call.net.active(Side::kServer));
  call.talk(1s);
  EXPECT_NE(call.net.active(Side::kClient), call.net.active(Side::kServer));
  call.net.run_for(1s);
  call.expect_all_delivered();
  EXPECT_EQ(call.net.server().signals(call.net.now()).failovers, 0u);
}

// A planned move is no failover, and nothing is written twice for it.
TEST(Channels, PlannedMoveRepeatsNothing) {
  SessionConfig config;
  config.separate_directions = false;
  config.standby = 1;
  Call call({}, config);
  call.talk(2s, 10'000);
  for (const Side side : {Side::kClient, Side::kServer}) {
    const SessionSignals signals = call.net.engine(side).signals(call.net.now());
    EXPECT_EQ(signals.duplicates, 0u);
    EXPECT_EQ(signals.failovers, 0u);
    EXPECT_EQ(signals.peer_failovers, 0u);
    EXPECT_TRUE(call.end(side).failovers.empty());
  }
}

TEST(Channels, DialsMayCompleteInAnyOrder) {
  SessionConfig config;
  config.standby = 6;
  Call call({}, config);
  call.net.cut_all({Side::kClient, Side::kServer});
  for (int i = 8; i > 0; --i) call.net.delays.push_back(i * 150ms);
  call.talk(5s);
  call.net.run_for(1s);
  call.expect_all_delivered();
  EXPECT_EQ(call.net.channels().size(), 8u);
}

TEST(Channels, ProbesKeepIdleOnesAlive) {
  Call call;
  const auto before = call.net.channels();
  call.net.run_for(10min);
  EXPECT_EQ(call.net.channels(), before);
  EXPECT_EQ(call.net.dials(), 2);
}

TEST(Channels, IdleOneThatDiesIsReplaced) {
  SessionConfig config;
  Call call({}, config);
  ChannelId idle;
  for (const ChannelId c : call.net.channels()) {
    if (c != call.net.active(Side::kClient) && c != call.net.active(Side::kServer)) idle = c;
  }
  call.net.cut(idle, {});
  call.net.run_for(config.silence_timeout + config.probe_interval);
  const auto after = call.net.channels();
  EXPECT_EQ(std::ranges::count(after, idle), 0);
  EXPECT_EQ(after.size(), 3u);
  EXPECT_TRUE(call.client.failovers.empty());
}

TEST(Channels, ServerTakesNoMoreThanSixteen) {
  SessionConfig config;
  config.separate_directions = false;
  config.standby = 0;
  Call call({}, config);
  const SessionCredentials& credentials = call.net.client().credentials();
  std::size_t taken = 0;
  for (std::uint32_t i = 1; i < 40; ++i) {
    Bind bind{.session = credentials.session, .channel = i, .segment = 0, .proof = {}};
    bind.proof = bind_proof(credentials.secret, bind);
    const auto bound = call.net.server().accept_bind(bind, call.net.now());
    taken += bool(bound);
    EXPECT_TRUE(bound || !bound.error().message.empty());
  }
  EXPECT_EQ(taken, SessionEngine::kMaxChannels - 1);
  EXPECT_EQ(call.net.server().signals(call.net.now()).channels, SessionEngine::kMaxChannels);
  EXPECT_FALSE(call.net.server().closed());
}

// The client knows of none that died, and the server keeps all of them: it still takes new ones.
TEST(Channels, SocketsThatOnlyOneEndKnowsToBeDeadDoNotPileUp) {
  SessionConfig config;
  config.standby = 8;
  Call call({}, config);
  for (int i = 0; i < 20; ++i) {
    call.net.cut_all({Side::kClient});
    call.talk(2s, 500);
    EXPECT_LE(call.net.server().signals(call.net.now()).channels, SessionEngine::kMaxChannels);
  }
  call.net.run_for(30s);
  call.expect_all_delivered();
  EXPECT_EQ(call.net.channels().size(), 10u);
  EXPECT_FALSE(call.client.closed || call.server.closed);
}

TEST(Channels, BlackHoleEndsBothEnds) {
  Call call;
  call.talk(1s);
  call.net.cut_all({});
  call.net.failing_dials = 1'000'000;
  call.talk(3s);
  ASSERT_TRUE(call.net.run_until([&] { return call.client.closed && call.server.closed; }, 2min));
  EXPECT_EQ(call.client.closed->reason, CloseReason::kTimeout);
  EXPECT_EQ(call.server.closed->reason, CloseReason::kTimeout);
  call.client.ledger.expect_settled();
  call.server.ledger.expect_settled();
}

}  // namespace
}  // namespace paceline
