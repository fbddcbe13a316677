// PACE by itself: gates, pacing, and that nothing odd stalls it. How it shares a line is in
// tests/lab.
#include "transport/control/controller_pace.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""us;
using qvid::operator""s;

constexpr std::int64_t kChunk = 1420;

SocketSample unsent(std::int64_t bytes) {
  SocketSample sample;
  sample.unsent = ByteCount(bytes);
  return sample;
}

SocketSample window_of_20(std::uint32_t sacked) {
  SocketSample sample;
  sample.cwnd = 20;
  sample.sacked = sacked;
  sample.mss = ByteCount(1448);
  return sample;
}

// A path of fixed delay and no limit: every chunk comes back after `rtt`.
class Path {
 public:
  explicit Path(Duration rtt) : rtt_(rtt) {}

  // Until `chunks` more are acknowledged; `gated` as the engine would say; if not, one is under way
  // at a time once those before have come.
  void run(int chunks, bool gated) {
    for (int i = 0; i < chunks; ++i) {
      fill(gated ? 1000 : sent_.empty() ? 1 : 0);
      ASSERT_FALSE(sent_.empty());
      const Timestamp written = sent_.front();
      sent_.erase(sent_.begin());
      now = std::max(now, written + rtt_);
      controller.on_acked({.acked = ByteCount(kChunk),
                           .unacked = ByteCount(kChunk * static_cast<std::int64_t>(sent_.size())),
                           .rtt = now - written,
                           .gate_limited = gated},
                          now);
    }
  }
  void fill(int at_most) {
    // What time opens before the next acknowledgement, too.
    for (int i = 0; i < at_most; ++i) {
      if (controller.allowance(now) <= ByteCount()) {
        const Timestamp opens = controller.opens_at(now);
        if (opens == qvid::kNever || (!sent_.empty() && opens > sent_.front() + rtt_)) return;
        now = std::max(now, opens);
        if (controller.allowance(now) <= ByteCount()) return;
      }
      controller.on_written(ByteCount(kChunk), now);
      sent_.push_back(now);
    }
  }

  Timestamp now{1s};
  PaceController controller{{}};

 private:
  Duration rtt_;
  std::vector<Timestamp> sent_;
};

TEST(PaceController, BeginsWithFourChunksAndDoubles) {
  Path path(30ms);
  EXPECT_EQ(path.controller.allowance(path.now), ByteCount(4 * 1400));
  const ByteCount before = path.controller.signals().window;
  path.run(4, true);
  EXPECT_GE(path.controller.signals().window, before * 19 / 10);
  path.run(200, true);
  EXPECT_GT(path.controller.signals().window, ByteCount(100'000));
  EXPECT_EQ(path.controller.signals().base_rtt, 30ms);
}

TEST(PaceController, TheWindowFollowsWhatTheApplicationUses) {
  Path path(30ms);
  path.run(40, true);
  const ByteCount window = path.controller.signals().window;
  path.run(20, false);
  EXPECT_EQ(path.controller.signals().window, window) << "not yet a second";
  // A chunk at a time from then on: the window comes down to that and two more.
  path.run(300, false);
  EXPECT_LT(path.controller.signals().window, ByteCount(4 * kChunk));
  EXPECT_GE(path.controller.signals().window, ByteCount(3 * 1400));
  // And is up again when the application wants it.
  path.run(1000, true);
  EXPECT_GT(path.controller.signals().window, window);
}

TEST(PaceController, WritesNothingWhileTheSocketHasMuchUnsent) {
  Path path(30ms);
  path.run(40, true);
  path.fill(1);
  path.controller.on_socket(unsent(1 << 20), path.now);
  EXPECT_EQ(path.controller.allowance(path.now), ByteCount());
  EXPECT_EQ(path.controller.opens_at(path.now), qvid::kNever);
  path.controller.on_socket(unsent(0), path.now + 10ms);
  EXPECT_GT(path.controller.allowance(path.now + 10ms), ByteCount());
}

TEST(PaceController, PacesAndTimeOpensTheGate) {
  Path path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  int burst = 0;
  while (c.allowance(path.now) > ByteCount() && burst < 10'000) {
    c.on_written(ByteCount(kChunk), path.now);
    ++burst;
  }
  EXPECT_LT(burst * kChunk, c.signals().window.value());  // not the whole window at once
  const Timestamp opens = c.opens_at(path.now);
  ASSERT_NE(opens, qvid::kNever);
  EXPECT_GT(opens, path.now);
  EXPECT_GT(c.allowance(opens), ByteCount());
}

TEST(PaceController, ANewSocketBeginsSmallAndKeepsWhatIsKnownOfThePath) {
  Path path(30ms);
  path.run(500, true);
  path.controller.on_new_socket(path.now);
  EXPECT_LE(path.controller.signals().window, ByteCount(4 * 1400));
  EXPECT_EQ(path.controller.signals().base_rtt, 30ms);
  EXPECT_GT(path.controller.allowance(path.now + 200ms), ByteCount());
}

TEST(PaceController, QueueingShrinksTheWindow) {
  Path path(30ms);
  path.run(300, true);
  PaceController& c = path.controller;
  const ByteCount before = c.signals().window;
  for (int i = 0; i < 50; ++i) {
    path.now += 40ms;
    c.on_written(ByteCount(kChunk), path.now);
    c.on_acked({.acked = ByteCount(kChunk), .unacked = {}, .rtt = 120ms, .gate_limited = true},
               path.now + 120ms);
    path.now += 120ms;
  }
  EXPECT_LT(c.signals().window, before / 4);
}

// The line falls to a twentieth: what is under way makes each round trip longer than the one
// before, and the window is right for the longest, before the round ends.
TEST(PaceController, ASuddenQueueIsFollowedToItsEnd) {
  Path path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto trip = [&](Duration rtt, std::int64_t left) {
    c.on_acked({.acked = ByteCount(left == 0 ? 40 * kChunk : 10),
                .unacked = ByteCount(left),
                .rtt = rtt,
                .gate_limited = true},
               path.now);
    return c.signals().window.value();
  };
  const auto round = [&](Duration rtt) {
    c.on_written(ByteCount(40 * kChunk), path.now);
    path.now += rtt;
    trip(rtt, 0);
  };
  round(60ms);                               // a queue ends its start-up
  for (int i = 0; i < 60; ++i) round(31ms);  // its first dip is over
  c.on_written(ByteCount(40 * kChunk), path.now);
  const std::int64_t before = c.signals().window.value();
  path.now += 100ms;
  const std::int64_t at_120 = trip(120ms, 39 * kChunk);
  EXPECT_LT(at_120, before / 2);
  EXPECT_LT(trip(240ms, 38 * kChunk), at_120 * 6 / 10);
  const std::int64_t at_480 = trip(480ms, 37 * kChunk);
  EXPECT_LT(at_480, at_120 * 4 / 10);
  EXPECT_EQ(trip(300ms, 36 * kChunk), at_480) << "it falls: the step is over";
}

// While more is under way than the new window, a part of what arrives goes on: no gap of a queue's
// length. What arrives is told as the rate of the path.
TEST(PaceController, ASuddenQueueDrainsWithoutAGap) {
  Path path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  for (int i = 0; i < 60; ++i) {
    c.on_written(ByteCount(40 * kChunk), path.now);
    const Duration rtt = i == 0 ? 60ms : 31ms;  // a queue ends its start-up
    path.now += rtt;
    c.on_acked({.acked = ByteCount(40 * kChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
               path.now);
  }
  const ByteCount before = c.signals().window;
  std::int64_t left = 40 * kChunk;
  c.on_written(ByteCount(left), path.now);
  // From now on one chunk in 10 ms: 1136 kbit/s.
  const Timestamp begin = path.now;
  std::vector<Duration> written;
  for (int i = 1; i <= 30; ++i) {
    path.now = begin + 100ms + i * 10ms;
    left -= kChunk;
    c.on_acked({.acked = ByteCount(kChunk),
                .unacked = ByteCount(left),
                .rtt = 100ms + i * 10ms,
                .gate_limited = true},
               path.now);
    while (c.allowance(path.now) > ByteCount()) {
      c.on_written(ByteCount(kChunk), path.now);
      left += kChunk;
      written.push_back(path.now - begin);
    }
  }
  EXPECT_LT(c.signals().window, before / 2);
  ASSERT_GE(written.size(), 3u);
  EXPECT_LT(written.size(), 15u);  // more than half drains
  EXPECT_LT(written.front(), 250ms);
  EXPECT_NEAR(c.drain_rate().kbps(), 1136, 60);
}

// Before a late P-ACK is taken for a queue, nothing is added to what it is of; where it comes after
// all, nothing has happened.
TEST(PaceController, NothingIsAddedToWhatIsLate) {
  Path path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto acked = [&](Duration rtt) {
    path.now += rtt;
    c.on_acked({.acked = ByteCount(10 * kChunk), .unacked = {}, .rtt = rtt, .gate_limited = false},
               path.now);
  };
  for (int i = 0; i < 60; ++i) {
    c.on_written(ByteCount(10 * kChunk), path.now);
    acked(i == 0 ? 60ms : 31ms);  // a queue ends its start-up
  }
  const ByteCount window = c.signals().window;
  c.on_written(ByteCount(2 * kChunk), path.now);
  c.on_socket(unsent(0), path.now + 31ms);
  EXPECT_GT(c.allowance(path.now + 31ms), ByteCount()) << "as usual";
  c.on_socket(unsent(0), path.now + 37ms);
  EXPECT_LE(c.allowance(path.now + 37ms), ByteCount());
  EXPECT_EQ(c.drain_rate(), qvid::DataRate()) << "not yet a line that fell";
  acked(38ms);
  EXPECT_GT(c.allowance(path.now), ByteCount());
  EXPECT_GE(c.signals().window, window * 7 / 8) << "it follows its use, and nothing more";
}

// The first dip is of those who begin together and fill the path. A video that never did is not
// stopped when a queue ends its start-up.
TEST(PaceController, AVideoThatLeavesThePathIdleHasNoFirstDip) {
  Path path(30ms);
  PaceController& c = path.controller;
  path.run(100, false);
  for (int i = 0; i < 20; ++i) {
    c.on_written(ByteCount(kChunk), path.now);
    path.now += 45ms;
    c.on_acked({.acked = ByteCount(kChunk), .unacked = {}, .rtt = 45ms, .gate_limited = false},
               path.now);
    ASSERT_GT(c.allowance(path.now), ByteCount(kChunk / 2)) << i;
  }
}

// What is written again after a failover tells no round trip; its age is no queue, and an old
// sudden queue is of the old socket.
TEST(PaceController, AFailoverIsNoSuddenQueue) {
  Path path(60ms);
  path.run(300, true);
  PaceController& c = path.controller;
  const std::int64_t most = c.signals().window.value();
  path.fill(1000);
  path.now += 400ms;  // a stall
  c.on_socket(unsent(0), path.now);
  EXPECT_LT(c.signals().window.value(), most / 2);
  c.on_new_socket(path.now);
  for (int round = 0; round < 8; ++round) {
    std::int64_t written = 0;
    while (c.allowance(path.now) > ByteCount()) {
      c.on_written(ByteCount(kChunk), path.now);
      written += kChunk;
    }
    path.now += 60ms;
    c.on_socket(unsent(0), path.now);
    c.on_acked({.acked = ByteCount(written), .unacked = {}, .rtt = {}, .gate_limited = true},
               path.now);
  }
  EXPECT_GT(c.signals().window, ByteCount(15 * kChunk));
}

// A lost segment holds back what comes after it: its repair is no queue.
TEST(PaceController, AChunkThatWaitsForARepairIsNoQueue) {
  Path path(100ms);
  path.run(300, true);
  PaceController& c = path.controller;
  c.on_written(ByteCount(kChunk), path.now);
  const ByteCount before = c.signals().window;
  path.now += 200ms;
  SocketSample sample = unsent(0);
  sample.sacked = 3;
  c.on_socket(sample, path.now);
  EXPECT_EQ(c.signals().window, before);
  c.on_socket(unsent(0), path.now);
  EXPECT_LT(c.signals().window, before);
}

// Whatever it is told, it neither breaks an invariant nor shuts for good.
TEST(PaceController, OddClocksAndGarbageDoNotStallIt) {
  std::mt19937_64 random(7);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 8;
  for (int run = 0; run < 200; ++run) {
    PaceController c({});
    Timestamp now(1s);
    for (int i = 0; i < 200; ++i) {
      const auto pick = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
      };
      switch (random() % 8) {
        case 0: now -= Duration(pick(1'000'000'000)); break;
        case 1: now += Duration(pick(86'400'000'000'000)); break;
        case 2: c.on_new_socket(now); break;
        case 3: c.on_socket(unsent(pick(huge) - huge / 2), now); break;
        case 4: c.on_written(ByteCount(pick(1 << 20)), now); break;
        default:
          c.on_acked({.acked = ByteCount(pick(1 << 24)),
                      .unacked = ByteCount(pick(1 << 20) - (1 << 10)),
                      .rtt = Duration(pick(100'000'000'000) - 1'000'000'000),
                      .gate_limited = random() % 2 == 0},
                     now);
          now += Duration(pick(50'000'000));
      }
    }
    c.on_socket({}, now);
    c.on_acked({.acked = ByteCount(1), .unacked = {}, .rtt = 30ms}, now);
    // Time that ran backwards stands still: from the latest it has seen.
    const Timestamp later = now + 86'400s * 400;
    EXPECT_GT(c.allowance(later), ByteCount());
    EXPECT_GE(c.signals().window, ByteCount(1));
    EXPECT_LE(c.signals().window, ByteCount(256'000'000));
  }
}

// What shows others dipping makes a flow with a wrong base dip, too, and learn the true one.
TEST(PaceController, ABaseThatFallsMakesItDip) {
  Path path(90ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto round = [&](Duration rtt) {
    c.on_written(ByteCount(20 * kChunk), path.now);
    path.now += rtt;
    c.on_acked({.acked = ByteCount(20 * kChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
               path.now);
  };
  round(150ms);                              // a queue ends its start-up
  for (int i = 0; i < 30; ++i) round(95ms);  // its first dip is over
  ASSERT_EQ(c.signals().base_rtt, 90ms);
  ASSERT_GT(c.signals().window, ByteCount(2 * kChunk));
  round(40ms);
  EXPECT_EQ(c.signals().base_rtt, 40ms);
  EXPECT_LT(c.signals().window, ByteCount(kChunk));  // lets the path run empty
}

// A greeting that TCP repaired for seconds is no round trip to wait for.
TEST(PaceController, AFirstRoundTripOfSecondsIsForgotten) {
  Path path(30ms);
  PaceController& c = path.controller;
  c.on_written(ByteCount(100), path.now);
  path.now += 15s;
  c.on_acked({.acked = ByteCount(100), .unacked = {}, .rtt = 15s}, path.now);
  const Timestamp begin = path.now;
  path.run(100, true);
  EXPECT_LT(path.now - begin, 3s);
  EXPECT_EQ(c.signals().base_rtt, 30ms);
}

// Beside competitors the kernel's window is full, and nothing waits behind it.
TEST(PaceController, CompetingItFillsTheKernelsWindow) {
  Path path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto round = [&](Duration rtt, std::uint32_t sacked) {
    c.on_socket(window_of_20(sacked), path.now);
    c.on_written(ByteCount(10 * kChunk), path.now);
    path.now += rtt;
    c.on_acked({.acked = ByteCount(10 * kChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
               path.now);
  };
  for (int i = 0; i < 8; ++i) round(150ms, 0);
  for (int i = 0; i < 60 && !c.signals().competing; ++i) round(150ms + i % 3 * 20ms, i % 10 == 0);
  ASSERT_TRUE(c.signals().competing);
  c.on_written(ByteCount(kChunk), path.now);
  path.now += 1s;
  SocketSample sample = window_of_20(2);
  sample.unacked = ByteCount(1448 * 21);
  c.on_socket(sample, path.now);
  EXPECT_EQ(c.signals().window, ByteCount(20 * 1448));
  EXPECT_GT(c.allowance(path.now), ByteCount());
  sample.unacked += ByteCount(1448);
  c.on_socket(sample, path.now);
  EXPECT_LE(c.allowance(path.now), ByteCount());
  EXPECT_EQ(c.opens_at(path.now), qvid::kNever);
}

TEST(HoleDetector, SeesWhatWasHeldBackForARoundTrip) {
  HoleDetector holes;
  const Timestamp begin(1s);
  for (int i = 1; i <= 200; ++i) holes.on_written(i * 100, begin + i * 1ms, 1ms);
  EXPECT_EQ(holes.on_acked(19'000, begin + 190ms), 53ms);  // it keeps 64 marks
  EXPECT_EQ(holes.on_acked(19'100, begin + 191ms), 0ms);
  EXPECT_EQ(holes.on_acked(20'000, begin + 200ms), 8ms);
}

TEST(Pacer, KeepsTheRateOverTime) {
  Pacer pacer;
  Timestamp now(1s);
  pacer.set(100'000, 3000, now);
  double written = 0;
  const Timestamp end = now + 10s;
  while (now < end) {
    while (pacer.tokens(now) > 0) pacer.on_written(1000, now), written += 1000;
    now = pacer.opens_at(now);
  }
  EXPECT_NEAR(written, 1'000'000, 5000);
}

}  // namespace
}  // namespace paceline
