// Urgent messages that expire go over lanes of their own while the path is in trouble: they come in
// time, each once, and what is said of them is true.
#include "transport/send/redundant_lanes.h"

#include <gtest/gtest.h>

#include "tests/transport/call.h"
#include "transport/receive/duplicate_filter.h"
#include "transport/wire/record_parser.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

constexpr Timestamp kBegin{10s};
constexpr ChannelId kA{1}, kB{2}, kC{3}, kD{4};

TEST(DuplicateFilter, TakesEachNumberOnce) {
  DuplicateFilter window;
  EXPECT_TRUE(window.take(0));
  EXPECT_FALSE(window.take(0));
  EXPECT_TRUE(window.take(2));
  EXPECT_TRUE(window.take(1));
  EXPECT_FALSE(window.take(2));
  EXPECT_TRUE(window.take(2 + DuplicateFilter::kSize));
  EXPECT_FALSE(window.take(2));  // too far behind to be known
  EXPECT_TRUE(window.take(3));
  EXPECT_FALSE(window.take(3));
  EXPECT_TRUE(window.take(1'000'000'000));
  EXPECT_FALSE(window.take(3 + DuplicateFilter::kSize));
  EXPECT_TRUE(window.take(999'999'999));
}

struct RedundantLanesTest : testing::Test {
  RedundantLanesTest() {
    lanes.on_trouble(kBegin);
    lanes.on_message(kBegin);
  }
  void add(std::uint64_t id, Timestamp deadline = kBegin + 5s, std::size_t size = 8) {
    lanes.add({.message = MessageId(id),
               .stream = kFirstStream,
               .first = true,
               .last = true,
               .message_size = ByteCount::of(size),
               .importance = Importance(254),
               .position = Position(id),
               .bytes = payload(id, size),
               .deadline = deadline});
  }
  // The numbers that are written to that channel now.
  std::vector<std::uint64_t> write(ChannelId channel, Timestamp now) {
    WriteBatch batch;
    lanes.produce(channel, batch, now);
    std::vector<std::byte> bytes;
    batch.for_each(
        [&](std::span<const std::byte> run) { bytes.insert(bytes.end(), run.begin(), run.end()); });
    RecordParser parser = RecordParser::behind_preamble();
    parser.feed(bytes);
    std::vector<std::uint64_t> numbers;
    for (;;) {
      const auto step = parser.next();
      if (!std::holds_alternative<Record>(step)) return numbers;
      numbers.push_back(std::get<LaneMessage>(std::get<Record>(step)).number);
    }
  }
  bool ack(ChannelId channel, std::uint64_t number, Timestamp now) {
    return lanes.on_ack(channel, number, now, note());
  }
  std::function<void(const OutgoingChunk&, Outcome)> note() {
    return [this](const OutgoingChunk& c, Outcome outcome) {
      ended.emplace_back(c.message.value(), outcome);
    };
  }
  using Ended = std::vector<std::pair<std::uint64_t, Outcome>>;
  using Numbers = std::vector<std::uint64_t>;

  RedundantLanes lanes;
  Ended ended;
};

TEST_F(RedundantLanesTest, EveryLaneBringsAllAndTheFirstAckEndsThem) {
  EXPECT_FALSE(lanes.open(kBegin));
  lanes.move(0, kA);
  lanes.move(1, kB);
  ASSERT_TRUE(lanes.open(kBegin));
  for (const std::uint64_t id : {70, 71, 72}) add(id);
  EXPECT_EQ(write(kA, kBegin), (Numbers{0, 1, 2}));
  EXPECT_EQ(write(kB, kBegin), (Numbers{0, 1, 2}));
  EXPECT_EQ(write(kC, kBegin), Numbers{});
  EXPECT_EQ(lanes.sent(), 6u);
  EXPECT_TRUE(ack(kB, 1, kBegin + 30ms));
  EXPECT_EQ(ended, (Ended{{70, Outcome::kDelivered}, {71, Outcome::kDelivered}}));
  EXPECT_TRUE(ack(kA, 2, kBegin + 40ms));
  EXPECT_EQ(ended.size(), 3u);
  EXPECT_TRUE(ack(kB, 2, kBegin + 50ms));
  EXPECT_EQ(ended.size(), 3u);
  EXPECT_TRUE(lanes.empty());
  EXPECT_FALSE(ack(kA, 3, kBegin + 50ms));  // never written
  EXPECT_TRUE(ack(kD, 2, kBegin + 50ms));   // no lane, and nothing on it
}

TEST_F(RedundantLanesTest, WhatWasOnAClosedChannelIsWrittenAgain) {
  lanes.move(0, kA);
  lanes.move(1, kB);
  add(70);
  add(71);
  write(kA, kBegin);
  write(kB, kBegin);
  lanes.on_closed(kA);
  EXPECT_EQ(write(kB, kBegin + 1s), Numbers{});  // it still has them
  lanes.on_closed(kB);
  EXPECT_FALSE(lanes.open(kBegin));
  // Not cancelled, though expired: nobody knows whether they have arrived.
  lanes.expire(kBegin + 6s, note());
  EXPECT_EQ(ended, Ended{});
  lanes.move(0, kC);
  EXPECT_EQ(write(kC, kBegin + 6s), (Numbers{0, 1}));
  add(72, kBegin + 9s);
  EXPECT_EQ(write(kC, kBegin + 6s), Numbers{2});
  EXPECT_TRUE(ack(kC, 1, kBegin + 7s));
  EXPECT_EQ(ended, (Ended{{70, Outcome::kDelivered}, {71, Outcome::kDelivered}}));
}

TEST_F(RedundantLanesTest, WhatExpiresUnwrittenIsCancelled) {
  lanes.move(0, kA);
  add(70, kBegin + 100ms);
  add(71, kBegin + 300ms);
  EXPECT_EQ(lanes.next_deadline(), kBegin + 100ms);
  lanes.expire(kBegin + 100ms, note());
  EXPECT_EQ(ended, (Ended{{70, Outcome::kCancelled}}));
  EXPECT_EQ(write(kA, kBegin + 100ms), Numbers{1});
  lanes.expire(kBegin + 300ms, note());
  EXPECT_EQ(ended.size(), 1u);
  lanes.abandon(note());
  EXPECT_EQ(ended.back(), std::pair(std::uint64_t{71}, Outcome::kLost));
}

TEST_F(RedundantLanesTest, OfAClosedStreamNobodyKnowsWhatArrived) {
  lanes.move(0, kA);
  add(70);
  write(kA, kBegin);
  add(71);
  lanes.close_stream(StreamId(8), note());
  EXPECT_EQ(ended, Ended{});
  lanes.close_stream(kFirstStream, note());
  EXPECT_EQ(ended, (Ended{{70, Outcome::kLost}, {71, Outcome::kCancelled}}));
  EXPECT_TRUE(lanes.empty());
  EXPECT_EQ(write(kA, kBegin + 1s), Numbers{});
  EXPECT_TRUE(ack(kA, 0, kBegin + 1s));
}

TEST_F(RedundantLanesTest, ALaneThatStallsGoesOnElsewhereWithWhatIsNew) {
  lanes.move(0, kA);
  add(70);
  write(kA, kBegin);
  ASSERT_TRUE(ack(kA, 0, kBegin + 40ms));
  add(71);
  EXPECT_EQ(write(kA, kBegin + 100ms), Numbers{1});
  EXPECT_FALSE(lanes.stalls(kA, kBegin + 200ms));  // 40 ms, a quarter of it and 100 ms
  EXPECT_TRUE(lanes.stalls(kA, kBegin + 260ms));
  lanes.move(0, kB);
  add(72);
  EXPECT_EQ(write(kA, kBegin + 260ms), Numbers{});
  EXPECT_EQ(write(kB, kBegin + 260ms), Numbers{2});
  // TCP has repaired it.
  EXPECT_TRUE(ack(kA, 1, kBegin + 300ms));
  EXPECT_EQ(ended.back().first, 71u);
}

TEST_F(RedundantLanesTest, CollectsForAPartOfTheRoundTripInTurn) {
  lanes.move(0, kA);
  lanes.move(1, kB);
  add(70);
  write(kA, kBegin);
  ASSERT_TRUE(ack(kA, 0, kBegin + 120ms));  // so for 30 ms
  const Timestamp now = kBegin + 200ms;
  EXPECT_EQ(lanes.next_write(), kBegin + 10ms);  // B has not had the first
  add(71);
  EXPECT_EQ(write(kA, now), Numbers{1});
  EXPECT_EQ(write(kB, now), Numbers{});
  EXPECT_EQ(lanes.next_write(), now + 10ms);  // a third behind the first
  EXPECT_EQ(write(kB, now + 10ms), (Numbers{1}));
  add(72);
  EXPECT_EQ(write(kA, now + 20ms), Numbers{});
  add(73);
  EXPECT_EQ(write(kA, now + 30ms), (Numbers{2, 3}));
}

TEST_F(RedundantLanesTest, NoMoreIsUnderWayThanMayBe) {
  lanes.move(0, kA);
  Numbers all;
  for (std::uint64_t id = 0; lanes.open(kBegin); ++id) {
    add(id, kBegin + 5s, 1000);
    for (const std::uint64_t number : write(kA, kBegin)) all.push_back(number);
  }
  EXPECT_EQ(all.size(), 17u);  // some bytes more than 16 KiB
  EXPECT_EQ(lanes.next_write(), qvid::kNever);
  ASSERT_TRUE(ack(kA, 9, kBegin));
  EXPECT_EQ(write(kA, kBegin).size(), 10u);
  EXPECT_EQ(ended.size(), 10u);
}

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
  sound.talk(3s);
  sound.call.net.stall(sound.call.net.active(Side::kClient), 800ms);
  sound.talk(3s);
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
  sound.talk(3s);
  sound.call.net.stall(sound.call.net.active(Side::kClient), 20s);
  sound.talk(3s);
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
  sound.talk(3s);
  sound.call.net.stall(sound.call.net.active(Side::kClient), 20s);
  sound.talk(3s);
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
  sound.talk(3s);
  sound.call.net.stall(sound.call.net.active(Side::kClient), 20s);
  sound.talk(3s);
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
