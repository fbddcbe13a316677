// QUIC's two ends without a network: datagrams between them take 20 ms of virtual time, and
// as long as the link's rate wants.
#include "lab/bed/quic_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lab/bed/quic_messages.h"

namespace qvid::lab {
namespace {

constexpr Timestamp kQuicBegin{5000s};
constexpr Duration kQuicDelay = 20ms;  // one way
const RunClock kQuicClock{.begin = kQuicBegin, .warm_up = 500ms, .duration = 5s};

// A sender, a receiver, and the way between them.
struct QuicPair {
  explicit QuicPair(const FlowSpec& spec)
      : sender(spec, kQuicClock, 1),
        receiver(spec, kQuicClock),
        near(QuicEngine::connect(client, sender, QuicCongestion::kCubic, now)) {}

  void run_until(Timestamp end) {
    for (;;) {
      if (!sender.greedy() && near->established() && now >= next_frame) {
        sender.capture(now);
        next_frame = now + kFrameTime;
      }
      write(*near, true);
      if (far) write(*far, false);
      Timestamp due = std::min(near->due(), sender.due());
      if (far) due = std::min(due, far->due());
      if (!sender.greedy() && near->established()) due = std::min(due, next_frame);
      if (!way.empty()) due = std::min(due, way.begin()->first);
      if (due > end) break;
      now = std::max(now + 1us, due);
      if (near->due() <= now) near->on_time(now);
      if (far && far->due() <= now) far->on_time(now);
      while (!way.empty() && way.begin()->first <= now) deliver(way.extract(way.begin()).mapped());
    }
    now = end;
  }
  FlowResult result() const {
    FlowResult result;
    receiver.ledger().fill(result, sender.frames());
    sender.unacked().fill(result.slots);
    return result;
  }

  QuicTls client{QuicTls::Role::kClient};
  QuicTls server{QuicTls::Role::kServer};
  Timestamp now = kQuicBegin;
  Timestamp next_frame{};
  QuicSender sender;
  QuicReceiver receiver;
  std::unique_ptr<QuicEngine> near;
  std::unique_ptr<QuicEngine> far;
  std::optional<DataRate> rate;  // of what near sends; nothing: as fast as it likes
  // Of what near sends: when, and bytes.
  std::function<bool(Timestamp, std::size_t)> lost = [](Timestamp, std::size_t) { return false; };

 private:
  struct Datagram {
    bool up;
    std::vector<std::byte> bytes;
  };
  void write(QuicEngine& engine, bool up) {
    std::array<std::byte, kQuicDatagram> buffer;
    for (int i = 0; i < 10; ++i) {
      const std::size_t size = engine.write(buffer, now);
      if (size == 0) break;
      if (up && lost(now, size)) continue;
      const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(size);
      Timestamp through = now;
      if (up && rate) {
        if (busy_until > now + 60ms) continue;  // the queue is full
        busy_until = std::max(busy_until, now) + rate->transfer_time(ByteCount::of(size));
        through = busy_until;
      }
      way.emplace(through + kQuicDelay, Datagram{up, {buffer.begin(), end}});
    }
    engine.end_turn(now);
  }
  void deliver(const Datagram& datagram) {
    if (!datagram.up) return near->read(datagram.bytes, now);
    if (!far) far = QuicEngine::accept(server, receiver, datagram.bytes, now);
    if (far) far->read(datagram.bytes, now);
  }

  std::multimap<Timestamp, Datagram> way;
  Timestamp busy_until{};
};

FlowSpec quic_video(Duration window = 200ms) {
  return {.sender = "quic", .rate = DataRate::from_kbps(2000), .window = window};
}

TEST(Quic, VideoArrivesWholeAndIsAcknowledged) {
  QuicPair pair(quic_video());
  pair.run_until(kQuicBegin + 5s);
  ASSERT_TRUE(pair.near->established());
  ASSERT_EQ(pair.near->why(), "");
  const FlowResult result = pair.result();
  EXPECT_GT(result.video.frames, 120u);
  EXPECT_EQ(result.video.shown, result.video.frames);
  EXPECT_EQ(result.video.layers, 8 * result.video.shown);
  EXPECT_EQ(pair.sender.cancelled(), 0u);
  // A round trip, and what a receiver may hold an acknowledgement back (RFC 9000: 25 ms).
  const double oldest = result.slots[30].oldest_unacked_ms;
  EXPECT_GE(oldest, 40);
  EXPECT_LE(oldest, 80);
}

// Nothing passes for half a second: what was captured then is late, and is not sent after it.
TEST(Quic, WhatIsLateIsCancelled) {
  QuicPair pair(quic_video());
  pair.lost = [](Timestamp at, std::size_t) {
    return at >= kQuicBegin + 2s && at < kQuicBegin + 2500ms;
  };
  pair.run_until(kQuicBegin + 5s);
  ASSERT_EQ(pair.near->why(), "");
  const FlowResult result = pair.result();
  EXPECT_GE(pair.sender.cancelled(), 8u * 8);
  EXPECT_LT(result.video.shown, result.video.frames - 8);
  EXPECT_GT(result.video.shown, result.video.frames - 30);
  const float slowest = *std::max_element(result.delays_ms.begin(), result.delays_ms.end());
  EXPECT_LE(slowest, 200 + 20 + 1);  // the window, and the way
  EXPECT_DOUBLE_EQ(result.video.shown_each_second[4], 30);
}

// What was lost comes a round trip later; what is in other datagrams does not wait for it.
TEST(Quic, ALostDatagramDelaysItsOwnUnits) {
  QuicPair pair(quic_video());
  bool once = false;
  pair.lost = [&once](Timestamp at, std::size_t size) {
    return at >= kQuicBegin + 2s && size > 1000 && !std::exchange(once, true);
  };
  pair.run_until(kQuicBegin + 5s);
  ASSERT_TRUE(once);
  const FlowResult result = pair.result();
  EXPECT_EQ(result.video.shown, result.video.frames);
  EXPECT_EQ(result.video.layers, 8 * result.video.shown);
  const auto later = std::ranges::count_if(result.delays_ms, [](float ms) { return ms > 45; });
  EXPECT_GE(later, 1);
  EXPECT_LE(later, 8);
}

// Half of a video passes: the base of a new frame goes before what is left of older ones, whose upper
// layers are cancelled. What it waits for is the link's own queue of 60 ms.
TEST(Quic, TheBaseOvertakes) {
  QuicPair pair(quic_video(500ms));
  pair.rate = DataRate::from_kbps(1000);
  pair.run_until(kQuicBegin + 5s);
  ASSERT_EQ(pair.near->why(), "");
  const FlowResult result = pair.result();
  EXPECT_EQ(result.video.shown, result.video.frames);
  EXPECT_LT(result.video.layers, 7 * result.video.shown);
  EXPECT_GT(pair.sender.cancelled(), 100u);
  std::vector<float> base = result.video.delays_ms[0];
  ASSERT_FALSE(base.empty());
  std::ranges::nth_element(base, base.begin() + static_cast<std::ptrdiff_t>(base.size() / 2));
  EXPECT_LT(base[base.size() / 2], 120);
}

// More streams than may be open at a time, one after the other.
TEST(Quic, StreamsAreGivenBack) {
  QuicPair pair({.sender = "quic", .workload = Workload::kGreedy});
  const auto blocks = [&pair] {
    std::int64_t bytes = 0;
    for (const FlowSlot& slot : pair.result().slots) bytes += slot.delivered;
    return static_cast<std::uint64_t>(bytes) / kBlock;
  };
  while (pair.now < kQuicBegin + 5s && blocks() < 2 * kMostQuicStreams) {
    pair.run_until(pair.now + 50ms);
  }
  EXPECT_EQ(pair.near->why(), "");
  EXPECT_GE(blocks(), 2 * kMostQuicStreams);
}

TEST(Quic, AStrangersDatagramIsNoConnection) {
  const QuicTls server{QuicTls::Role::kServer};
  QuicUser nobody;
  const std::vector<std::byte> noise(1200, std::byte{0x17});
  EXPECT_FALSE(QuicEngine::accept(server, nobody, noise, kQuicBegin));
  EXPECT_FALSE(QuicEngine::accept(server, nobody, {}, kQuicBegin));
}

TEST(Quic, GivesUpWhereNobodyAnswers) {
  QuicPair pair(quic_video());
  pair.lost = [](Timestamp, std::size_t) { return true; };
  pair.run_until(kQuicBegin + 20s);
  EXPECT_TRUE(pair.near->over());
  EXPECT_NE(pair.near->why(), "");
}

TEST(Quic, SaysGoodbye) {
  QuicPair pair(quic_video());
  pair.run_until(kQuicBegin + 1s);
  ASSERT_TRUE(pair.far);
  std::array<std::byte, kQuicDatagram> buffer;
  const std::size_t size = pair.near->close(buffer, pair.now);
  ASSERT_GT(size, 0u);
  pair.far->read(std::span(buffer).first(size), pair.now);
  EXPECT_TRUE(pair.far->over());
  EXPECT_EQ(pair.near->close(buffer, pair.now), 0u);
}

}  // namespace
}  // namespace qvid::lab
