// Urgent messages that expire go over lanes of their own while the path is in trouble: they come in
// time, each once.
#include <gtest/gtest.h>

#include "tests/transport/call.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

// A call whose path lets the content's channel stall again and again, and others too.
struct SoundCall {
  explicit SoundCall(const SessionConfig& config = {}) : call({}, config, config) {
    call.on_arrived = [this](const MessageArrived& m) {
      if (m.importance.value() < 254) return;
      longest_gap = std::max(longest_gap, call.net.now() - last);
      last = call.net.now();
    };
  }
  // Fifty packets a second, beside a picture's messages.
  void talk(Duration time) {
    last = call.net.now();
    for (const Timestamp until = call.net.now() + time; call.net.now() < until;) {
      call.send(Side::kClient, 60, 254, call.net.now() + 2s);
      if (++packets % 2 == 0) call.send(Side::kClient, 3000);
      call.net.run_for(20ms);
    }
  }
  // The content's channel stalls for that long, which is noticed.
  void get_into_trouble(Duration stall) {
    talk(3s);
    call.net.stall(call.net.active(Side::kClient), stall);
    talk(3s);
  }
  SessionSignals signals(Side side) { return call.net.engine(side).signals(call.net.now()); }

  Call call;
  int packets = 0;
  Timestamp last{};
  Duration longest_gap{};
};

TEST(RedundantLanesSession, UsesNothingWhileThePathIsWell) {
  SoundCall sound;
  sound.talk(20s);
  EXPECT_EQ(sound.signals(Side::kClient).lanes_sent, 0u);
  EXPECT_EQ(sound.call.net.channels().size(), 3u);
  EXPECT_LT(sound.longest_gap, 40ms);
  sound.call.net.run_for(1s);
  sound.call.expect_all_delivered();
}

TEST(RedundantLanesSession, StallsOfTheContentAreNotHeard) {
  SessionConfig config;
  config.failover = false;
  SoundCall sound(config);
  sound.get_into_trouble(800ms);
  EXPECT_GT(sound.longest_gap, 90ms);  // the first: nobody knew
  EXPECT_GT(sound.signals(Side::kClient).lanes_sent, 100u);
  EXPECT_TRUE(sound.signals(Side::kServer).peer_in_trouble);
  EXPECT_EQ(sound.call.net.channels().size(), 6u);
  sound.longest_gap = {};
  for (int i = 0; i < 5; ++i) {
    sound.call.net.stall(sound.call.net.active(Side::kClient), 800ms);
    sound.talk(3s);
  }
  EXPECT_LT(sound.longest_gap, 60ms);
  // It ends half a minute after the last sign, and the channels go.
  sound.talk(40s);
  const auto sent = sound.signals(Side::kClient).lanes_sent;
  sound.talk(5s);
  EXPECT_EQ(sound.signals(Side::kClient).lanes_sent, sent);
  sound.talk(40s);
  EXPECT_EQ(sound.call.net.channels().size(), 3u);
  sound.call.net.run_for(2s);
  sound.call.expect_all_delivered();
}

TEST(RedundantLanesSession, FailoversAreNotHeard) {
  SoundCall sound;
  sound.get_into_trouble(20s);
  sound.longest_gap = {};
  for (int i = 0; i < 5; ++i) {
    sound.call.net.cut(sound.call.net.active(Side::kClient), {});
    sound.talk(3s);
  }
  EXPECT_LT(sound.longest_gap, 60ms);
  EXPECT_GE(sound.signals(Side::kClient).failovers, 6u);
  sound.call.net.run_for(2s);
  sound.call.expect_all_delivered();
}

// What comes behind its stream's close is not taken, and breaks nothing.
TEST(RedundantLanesSession, ALateMessageOfAClosedStreamIsLeftAside) {
  SoundCall sound;
  sound.get_into_trouble(20s);
  SessionEngine& client = sound.call.net.client();
  const StreamId stream = client.open_stream();
  sound.call.send(Side::kClient, 60, 254, qvid::kNever, stream);
  sound.call.net.run_for(200ms);
  for (int i = 0; i < 20; ++i) {
    sound.call.send(Side::kClient, 60, 254, sound.call.net.now() + 1s, stream);
  }
  sound.call.net.run_for(1ms);
  for (const ChannelId channel : sound.call.net.channels()) {
    if (channel != sound.call.net.active(Side::kClient)) sound.call.net.stall(channel, 100ms);
  }
  client.close_stream(stream);
  sound.talk(2s);
  sound.call.net.run_for(2s);
  EXPECT_FALSE(client.closed());
  EXPECT_FALSE(sound.call.net.server().closed());
  sound.call.client.ledger.expect_settled();
}

TEST(RedundantLanesSession, LanesMayBeCutAndStallToo) {
  SoundCall sound;
  sound.get_into_trouble(20s);
  for (int i = 0; i < 12; ++i) {
    const auto channels = sound.call.net.channels();
    const ChannelId one = channels[static_cast<std::size_t>(i) % channels.size()];
    if (i % 2 == 0) {
      sound.call.net.cut(one, {Side::kClient, Side::kServer});
    } else {
      sound.call.net.stall(one, 3s);
    }
    sound.talk(1500ms);
  }
  sound.call.net.run_for(25s);
  sound.call.expect_all_delivered();
}

}  // namespace
}  // namespace paceline
