// Goddard's client and server in virtual time: asking, buffering, playing, re-buffering; and the two
// together over a way of some rate.
#include <gtest/gtest.h>

#include "lab/bed/goddard_client.h"
#include "lab/bed/goddard_queue.h"
#include "lab/bed/goddard_server.h"

namespace qvid::lab {
namespace {

constexpr Timestamp kGoddardBegin{100s};
using Kind = GoddardRequest::Kind;

GoddardRequest stream(int scale, bool buffering) {
  return {.kind = Kind::kStream, .scale = scale, .buffering = buffering};
}

struct GoddardPlayer : testing::Test {
  // A pair over 750 kbit/s: scale 4, 20 frames a second.
  void start() {
    client.open(kGoddardBegin);
    client.on_pair(1000_B, DataRate::from_kbps(750).transfer_time(1000_B), now);
    ASSERT_EQ(client.take_request(), stream(4, true));
  }
  // That many frames, one each `interval`; the first comes at once.
  void come(int frames, Duration interval) {
    for (int i = 0; i < frames; ++i, now += interval) client.on_frame(number++, 4, now);
  }

  GoddardClient client{kGoddardBegin, true};
  Timestamp now = kGoddardBegin;
  std::uint32_t number = 0;
};

TEST_F(GoddardPlayer, AsksForAPairAgainUntilOneHasCome) {
  EXPECT_EQ(client.next_turn(), kNever);
  client.open(kGoddardBegin);
  EXPECT_EQ(client.take_request(), GoddardRequest{.kind = Kind::kPair});
  EXPECT_EQ(client.take_request(), std::nullopt);
  EXPECT_EQ(client.next_turn(), kGoddardBegin + 2s);
  client.turn(kGoddardBegin + 1999ms);
  EXPECT_EQ(client.take_request(), std::nullopt);
  client.turn(kGoddardBegin + 2s);
  EXPECT_EQ(client.take_request(), GoddardRequest{.kind = Kind::kPair});
  client.on_pair(1000_B, 8ms, kGoddardBegin + 3s);  // 1 Mbit/s
  EXPECT_EQ(client.take_request(), stream(5, true));
  EXPECT_EQ(client.next_turn(), kNever);
  client.on_pair(1000_B, 80ms, kGoddardBegin + 3s);  // the second one's, late
  EXPECT_EQ(client.take_request(), std::nullopt);
  EXPECT_EQ(client.result(kGoddardBegin + 3s).capacity_kbps, 1000);
}

TEST_F(GoddardPlayer, PlaysWhenFiveSecondsAreThere) {
  start();
  come(99, 33ms);
  EXPECT_EQ(client.take_request(), std::nullopt);
  come(1, 33ms);
  EXPECT_EQ(client.take_request(), stream(4, false));
  const auto m = client.result(now).measures;
  ASSERT_TRUE(m.start_up);
  EXPECT_EQ(*m.start_up, 99 * 33ms);
  EXPECT_EQ(m.pictures, 1);
}

TEST_F(GoddardPlayer, PlaysAtTheFramesOwnRate) {
  start();
  come(100, 10ms);
  come(200, 50ms);
  const auto m = client.result(now).measures;
  EXPECT_EQ(m.stalls, 0);
  EXPECT_NEAR(m.frame_rate, 20, 0.2);
  EXPECT_NEAR(m.share[5], 1, 1e-9) << "scale 4";
  EXPECT_NEAR(to_seconds(client.held()), 5, 0.3);
}

TEST_F(GoddardPlayer, BuffersAgainWhereNothingIsLeft) {
  start();
  come(100, 10ms);
  ASSERT_EQ(client.take_request(), stream(4, false));
  come(20, 250ms);  // 5 s: 128 kbit/s
  now = kGoddardBegin + 12s;
  client.turn(now);
  EXPECT_EQ(client.take_request(), stream(0, true)) << "what was received in five seconds";
  EXPECT_EQ(client.next_turn(), kNever);
  const GoddardResult result = client.result(now);
  ASSERT_EQ(result.rebuffered.size(), 1u);
  EXPECT_NEAR(result.rebuffered[0], 0.99 + 6, 0.01) << "120 frames of a twentieth of a second";
  EXPECT_EQ(result.measures.stalls, 1);
  come(50, 66ms);  // of scale 4 still: 2.5 s
  EXPECT_EQ(client.take_request(), std::nullopt);
  come(50, 66ms);
  EXPECT_EQ(client.take_request(), stream(0, false));
}

TEST_F(GoddardPlayer, AFrameThatIsMissingIsPassedOver) {
  start();
  come(100, 10ms);
  number += 2;
  come(100, 50ms);
  now += 2s;
  client.turn(now);
  const auto m = client.result(now).measures;
  EXPECT_EQ(m.lost, 2);
  EXPECT_EQ(m.stalls, 0);
}

TEST_F(GoddardPlayer, LossesScaleDownWhileItBuffersToo) {
  start();
  for (int i = 0; i < 60; ++i, now += 100ms) client.on_frame(number += 2, 4, now);
  EXPECT_EQ(client.take_request(), stream(3, true));
}

TEST_F(GoddardPlayer, JitterIsOfIntervalsPerFrame) {
  start();
  client.on_frame(0, 4, now);
  client.on_frame(1, 4, now + 50ms);
  client.on_frame(4, 3, now + 200ms);
  client.on_frame(3, 4, now + 210ms);  // late: no interval
  const GoddardResult result = client.result(now + 1s);
  EXPECT_EQ(result.intervals_ms, (std::vector<float>{50, 50}));
  EXPECT_EQ(result.scales, (std::vector<std::pair<double, int>>{{0, 4}, {0.2, 3}}));
}

TEST(GoddardServerTest, SendsFasterWhereItBuffers) {
  GoddardServer server;
  EXPECT_EQ(server.next(), kNever);
  server.on_request({.kind = Kind::kPair}, kGoddardBegin);
  EXPECT_EQ(server.next(), kNever);
  const auto sent_in = [&](Timestamp from, Duration time) {
    int frames = 0;
    for (; server.next() < from + time; ++frames) server.sent(server.next());
    return frames;
  };
  server.on_request(stream(4, true), kGoddardBegin);
  EXPECT_EQ(server.frame(kGoddardBegin).bytes, 4000u);
  EXPECT_EQ(server.frame(kGoddardBegin).layer, 4);
  EXPECT_NEAR(sent_in(kGoddardBegin, 10s), 300, 1);
  server.on_request(stream(0, false), kGoddardBegin + 10s);
  EXPECT_NEAR(sent_in(kGoddardBegin + 10s, 10s), 100, 1);
  EXPECT_EQ(server.frame(kGoddardBegin).bytes, 1000u);
}

TEST(GoddardServerTest, CatchesUpWithFiveSecondsAtTheMost) {
  for (const Duration behind : {2s, 60s}) {
    GoddardServer server;
    server.on_request(stream(0, false), kGoddardBegin);
    server.sent(kGoddardBegin);
    const Timestamp now = kGoddardBegin + behind;
    int frames = 0;
    for (; server.next() <= now; ++frames) server.sent(now);
    EXPECT_NEAR(frames, 10 * std::min(to_seconds(behind), 5.0), 1);
  }
}

TEST(GoddardQueueTest, DropsWholeFramesAtTheFront) {
  GoddardQueue queue;
  for (std::uint32_t n = 0; n < 20; ++n) queue.push({.bytes = 8000, .frame = n});
  EXPECT_EQ(queue.pop().frame, 12u) << "eight of 8000 B are within 64 KiB";
  for (std::uint32_t n = 13; n < 20; ++n) EXPECT_EQ(queue.pop().frame, n);
  EXPECT_TRUE(queue.empty());
  queue.push({.bytes = 80'000, .frame = 20});
  EXPECT_EQ(queue.pop().frame, 20u);
}

// Both, with MTP's queue and a rate between them; requests take no time.
struct GoddardWay {
  DataRate rate;
  GoddardClient client{kGoddardBegin, true};
  GoddardServer server{};
  Timestamp now = kGoddardBegin;
  Timestamp busy_until = kGoddardBegin;
  GoddardQueue waiting{};

  void run(Duration time) {
    if (now == kGoddardBegin) {
      client.open(now);
      client.on_pair(1000_B, rate.transfer_time(1000_B), now);
    }
    for (const Timestamp end = now + time; now < end; now += 1ms) {
      client.turn(now);
      if (const auto request = client.take_request()) server.on_request(*request, now);
      for (; server.next() <= now; server.sent(now)) waiting.push(server.frame(now));
      while (!waiting.empty() && busy_until <= now) {
        const Adu adu = waiting.pop();
        busy_until = std::max(busy_until, now) + rate.transfer_time(ByteCount(adu.bytes));
        client.on_frame(adu.frame, adu.layer, now);
      }
    }
  }
};

TEST(GoddardTogether, AWayWithRoomKeepsTheFirstScale) {
  GoddardWay way{.rate = DataRate::from_kbps(1500)};
  way.run(60s);
  EXPECT_EQ(way.client.scale(), 5);
  const auto m = way.client.result(way.now).measures;
  EXPECT_EQ(m.stalls, 0);
  EXPECT_NEAR(m.frame_rate, 30, 2);
}

// 960 kbit/s into 750: the thesis's figure 5.21.
TEST(GoddardTogether, WhatBufferingLosesCostsAScale) {
  GoddardWay way{.rate = DataRate::from_kbps(750)};
  way.run(1s);
  ASSERT_EQ(way.client.scale(), 4);
  way.run(30s);
  EXPECT_EQ(way.client.scale(), 3);
  EXPECT_EQ(way.client.result(way.now).measures.stalls, 0);
}

TEST(GoddardTogether, AWayThatGetsNarrowScalesDownToIt) {
  GoddardWay way{.rate = DataRate::from_kbps(3000)};
  way.run(20s);
  ASSERT_EQ(way.client.scale(), 6);
  way.rate = DataRate::from_kbps(400);
  way.run(60s);
  EXPECT_LE(way.client.scale(), 3);
  EXPECT_GE(way.client.scale(), 2);
  const auto scales = way.client.result(way.now).scales;
  EXPECT_EQ(scales.back().second, way.client.scale());
}

}  // namespace
}  // namespace qvid::lab
