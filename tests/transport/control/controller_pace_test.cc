// PACE by itself: gates, pacing, and that nothing odd stalls it. How it shares a line is in
// tests/lab.
#include "transport/control/controller_pace.h"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <random>
#include <vector>

#include "tests/transport/control/pace_path.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""us;
using qvid::operator""s;

TEST(PaceController, BeginsWithFourChunksAndDoubles) {
  PacePath path(30ms);
  EXPECT_EQ(path.controller.allowance(path.now), ByteCount(4 * 1400));
  const ByteCount before = path.controller.signals().window;
  path.run(4, true);
  EXPECT_GE(path.controller.signals().window, before * 19 / 10);
  path.run(200, true);
  EXPECT_GT(path.controller.signals().window, ByteCount(100'000));
  EXPECT_EQ(path.controller.signals().base_rtt, 30ms);
}

TEST(PaceController, ALossBeforeAnyRoundTripIsKnownChangesNothing) {
  PacePath path(30ms);
  path.fill(1);
  path.controller.on_lost(path.now);
  EXPECT_EQ(path.controller.signals().window, ByteCount(4 * 1400));
}

TEST(PaceController, TheWindowFollowsWhatTheApplicationUses) {
  PacePath path(30ms);
  path.run(40, true);
  const ByteCount window = path.controller.signals().window;
  path.run(20, false);
  EXPECT_EQ(path.controller.signals().window, window) << "not yet a second";
  // A chunk at a time from then on: the window comes down to that and two more.
  path.run(300, false);
  EXPECT_LT(path.controller.signals().window, ByteCount(4 * kPathChunk));
  EXPECT_GE(path.controller.signals().window, ByteCount(3 * 1400));
  // And is up again when the application wants it.
  path.run(1000, true);
  EXPECT_GT(path.controller.signals().window, window);
}

TEST(PaceController, WritesNothingWhileTheSocketHasMuchUnsent) {
  PacePath path(30ms);
  path.run(40, true);
  path.fill(1);
  path.controller.on_socket(with_unsent(1 << 20), path.now);
  EXPECT_EQ(path.controller.allowance(path.now), ByteCount());
  EXPECT_EQ(path.controller.opens_at(path.now), qvid::kNever);
  path.controller.on_socket(with_unsent(0), path.now + 10ms);
  EXPECT_GT(path.controller.allowance(path.now + 10ms), ByteCount());
}

TEST(PaceController, PacesAndTimeOpensTheGate) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  int burst = 0;
  while (c.allowance(path.now) > ByteCount() && burst < 10'000) {
    c.on_written(ByteCount(kPathChunk), path.now);
    ++burst;
  }
  EXPECT_LT(burst * kPathChunk, c.signals().window.value());  // not the whole window at once
  const Timestamp opens = c.opens_at(path.now);
  ASSERT_NE(opens, qvid::kNever);
  EXPECT_GT(opens, path.now);
  EXPECT_GT(c.allowance(opens), ByteCount());
}

TEST(PaceController, ANewSocketBeginsSmallAndKeepsWhatIsKnownOfThePath) {
  PacePath path(30ms);
  path.run(500, true);
  path.controller.on_new_socket(path.now);
  EXPECT_LE(path.controller.signals().window, ByteCount(4 * 1400));
  EXPECT_EQ(path.controller.signals().base_rtt, 30ms);
  EXPECT_GT(path.controller.allowance(path.now + 200ms), ByteCount());
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
        case 3: c.on_socket(with_unsent(pick(huge) - huge / 2), now); break;
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
  PacePath path(90ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto round = [&](Duration rtt) {
    c.on_written(ByteCount(20 * kPathChunk), path.now);
    path.now += rtt;
    c.on_acked(
        {.acked = ByteCount(20 * kPathChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
        path.now);
  };
  round(150ms);                              // a queue ends its start-up
  for (int i = 0; i < 30; ++i) round(95ms);  // its first dip is over
  ASSERT_EQ(c.signals().base_rtt, 90ms);
  ASSERT_GT(c.signals().window, ByteCount(2 * kPathChunk));
  round(40ms);
  EXPECT_EQ(c.signals().base_rtt, 40ms);
  EXPECT_LT(c.signals().window, ByteCount(kPathChunk));  // lets the path run empty
}

// A greeting that TCP repaired for seconds is no round trip to wait for.
TEST(PaceController, AFirstRoundTripOfSecondsIsForgotten) {
  PacePath path(30ms);
  PaceController& c = path.controller;
  c.on_written(ByteCount(100), path.now);
  path.now += 15s;
  c.on_acked({.acked = ByteCount(100), .unacked = {}, .rtt = 15s}, path.now);
  const Timestamp begin = path.now;
  path.run(100, true);
  EXPECT_LT(path.now - begin, 3s);
  EXPECT_EQ(c.signals().base_rtt, 30ms);
}

void write_up_to_ten(PacePath& path, std::int64_t& under_way) {
  for (; path.controller.allowance(path.now) > ByteCount() && under_way < 10; ++under_way) {
    path.controller.on_written(ByteCount(kPathChunk), path.now);
  }
}

// The line takes 2 ms for a chunk.
void all_come_back(PacePath& path, std::int64_t& under_way, Duration rtt) {
  for (; under_way > 0; path.now += 2ms) {
    --under_way;
    path.controller.on_acked({.acked = ByteCount(kPathChunk),
                              .unacked = ByteCount(kPathChunk * under_way),
                              .rtt = rtt,
                              .gate_limited = true},
                             path.now);
  }
}

// What fills the queue while this flow stops, at a tick of its first two seconds, is no flow of its
// own kind.
TEST(PaceController, TheFirstDipTellsWhoIsThere) {
  int times = 0;  // that it stopped
  // `stays`: of the queue, while it stops; `before`: of it was there. Gives whether it competes then.
  const auto begins_on = [&times](Duration queue, Duration stays, Duration length = 2500ms,
                                  Duration before = Duration()) {
    PacePath path(30ms);
    PaceController& c = path.controller;
    std::int64_t under_way = 0;
    int rounds = 0;
    times = 0;
    bool stopped = false;
    for (const Timestamp end = path.now + length; path.now < end; ++rounds) {
      c.on_socket(window_of_20(0), path.now);
      const bool stops = c.allowance(path.now) <= ByteCount() && under_way == 0;
      times += stops && !stopped;
      stopped = stops;
      write_up_to_ten(path, under_way);
      const Duration rtt = 30ms +
                           (rounds == 0 ? before
                            : stops     ? stays
                                        : queue) +
                           Duration(1ms) * (rounds % 3);
      path.now += rtt;
      all_come_back(path, under_way, under_way == 1 ? 30ms + stays : rtt);
    }
    return c.signals();
  };
  EXPECT_FALSE(begins_on(60ms, 0ms).competing);
  const ControllerSignals beside = begins_on(60ms, 50ms);
  EXPECT_TRUE(beside.competing);
  EXPECT_GT(beside.share, qvid::DataRate());
  EXPECT_EQ(begins_on(60ms, 0ms).share, qvid::DataRate());
  EXPECT_FALSE(begins_on(0ms, 0ms).competing);
  // A third one may end a mistake, but not behind a queue that our kind does not make.
  EXPECT_TRUE(begins_on(300ms, 250ms, 5s).competing);
  EXPECT_EQ(times, 2);
  // Who begins on a queue longer than any route takes it for one, and still knows at the first dip.
  EXPECT_TRUE(begins_on(1000ms, 900ms, 6s, 900ms).competing);
  EXPECT_EQ(times, 1);
  EXPECT_FALSE(begins_on(300ms, 200ms, 6s, 200ms).competing) << "200 ms may be a route";
  EXPECT_FALSE(begins_on(1000ms, 900ms, 20s, 900ms).competing) << "nor is a queue twice as long";
  // Until the second one the kernel's window is not grown into.
  EXPECT_LT(begins_on(300ms, 250ms, 2s).window, ByteCount(20 * 1448));
  EXPECT_EQ(begins_on(300ms, 250ms, 5s).window, ByteCount(20 * 1448));
}

// Its dips seem to empty the queue at first, since a part of it is taken for the path. Gives whether it
// competes after a while of dips that leave so much of 60 ms in turn.
bool competes_where_dips_leave(Duration one, Duration other) {
  PacePath path(30ms);
  PaceController& c = path.controller;
  const Timestamp begin = path.now;
  int dips = 0;
  for (int rounds = 0; path.now < begin + 13s; ++rounds) {
    c.on_socket(window_of_20(0), path.now);
    const bool dipped = c.signals().looks;
    std::int64_t under_way = 0;
    write_up_to_ten(path, under_way);
    const Duration left = path.now < begin + 4s ? Duration(10ms) : dips % 2 == 0 ? one : other;
    const Duration rtt = 30ms + (rounds == 0 ? Duration()
                                 : dipped    ? left
                                             : 60ms + Duration(1ms) * (rounds % 3));
    path.now += rtt;
    all_come_back(path, under_way, rtt);
    dips += dipped && !c.signals().looks;
  }
  return c.signals().competing;
}

TEST(PaceController, WhereTheBaseIsNotKnownTwoDipsTell) {
  EXPECT_TRUE(competes_where_dips_leave(25ms, 20ms));
  EXPECT_FALSE(competes_where_dips_leave(25ms, 25ms)) << "a route that became longer";
  EXPECT_FALSE(competes_where_dips_leave(12ms, 8ms));
}

// Beside competitors the kernel's window is full, and nothing waits behind it.
TEST(PaceController, CompetingItFillsTheKernelsWindow) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto round = [&](Duration rtt, std::uint32_t sacked) {
    c.on_socket(window_of_20(sacked), path.now);
    c.on_written(ByteCount(10 * kPathChunk), path.now);
    path.now += rtt;
    c.on_acked(
        {.acked = ByteCount(10 * kPathChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
        path.now);
  };
  for (int i = 0; i < 8; ++i) round(150ms, 0);
  for (int i = 0; i < 60 && !c.signals().competing; ++i) round(150ms + i % 3 * 20ms, i % 10 == 0);
  ASSERT_TRUE(c.signals().competing);
  c.on_written(ByteCount(kPathChunk), path.now);
  path.now += 1s;
  SocketSample sample = window_of_20(2);
  sample.unacked = ByteCount(1448 * 21);
  c.on_socket(sample, path.now);
  EXPECT_EQ(c.signals().window, ByteCount(20 * 1448));
  EXPECT_EQ(c.kernel_segment(), ByteCount(1448));
  EXPECT_GT(c.allowance(path.now), ByteCount());
  sample.unacked += ByteCount(1448);
  c.on_socket(sample, path.now);
  EXPECT_LE(c.allowance(path.now), ByteCount());
  EXPECT_EQ(c.opens_at(path.now), qvid::kNever);
  // Content by datagrams has a window of its own, of what it has under way.
  c.on_outstanding({}, path.now);
  sample.carries = false;
  c.on_socket(sample, path.now);
  EXPECT_GT(c.allowance(path.now), ByteCount());
  EXPECT_EQ(c.kernel_segment(), ByteCount());
  c.on_acked({.acked = {}, .unacked = {}, .rtt = 150ms}, path.now);
  path.now += 1s;
  EXPECT_EQ(c.allowance(path.now), ByteCount(1400)) << "one at a time";
  EXPECT_FALSE(c.signals().looks);
  const ByteCount own = c.signals().window;
  sample.cwnd = 2;
  c.on_socket(sample, path.now);
  EXPECT_EQ(c.signals().window, own);
  c.on_lost(path.now);
  EXPECT_LT(c.signals().window, own);
  sample.carries = true;
  c.on_written(ByteCount(kPathChunk), path.now);
  c.on_socket(sample, path.now);
  EXPECT_LE(c.allowance(path.now), ByteCount()) << "22 segments where there is room for 2";
}

// The kernel's slow start goes on beside a competitor until half of the queue is this flow's.
TEST(PaceController, SlowStartEndsAtHalfOfTheQueue) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  EXPECT_TRUE(c.wants_no_hystart());
  const auto round = [&](Duration rtt) {
    c.on_socket(window_of_20(0), path.now);
    c.on_written(ByteCount(10 * kPathChunk), path.now);
    path.now += rtt;
    c.on_acked(
        {.acked = ByteCount(10 * kPathChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
        path.now);
  };
  for (int i = 0; i < 80 && !c.signals().competing; ++i) round(150ms + i % 3 * 20ms);
  ASSERT_TRUE(c.signals().competing);
  round(250ms);
  EXPECT_TRUE(c.wants_no_hystart());
  round(320ms);
  EXPECT_FALSE(c.wants_no_hystart()) << "the trial left 150 ms";
  round(160ms);
  EXPECT_FALSE(c.wants_no_hystart());
}

// A window that gave way at a loss is less than what is under way: a part of what arrives goes on.
TEST(PaceController, ALossBesideACompetitorStopsNothing) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  std::deque<Timestamp> under_way;
  const auto write = [&] {
    int written = 0;
    for (; c.allowance(path.now) > ByteCount() && written < 100; ++written) {
      c.on_written(ByteCount(kPathChunk), path.now);
      under_way.push_back(path.now);
    }
    return written;
  };
  const auto bytes = [&](int less) {
    return ByteCount((static_cast<std::int64_t>(under_way.size()) - less) * kPathChunk);
  };
  // Of another's queue, which stays. Gives how many came.
  const auto acked = [&](Duration rtt) {
    int came = 0;
    for (; !under_way.empty() && path.now >= under_way.front() + rtt; ++came) {
      under_way.pop_front();
      c.on_acked(
          {.acked = ByteCount(kPathChunk), .unacked = bytes(0), .rtt = rtt, .gate_limited = true},
          path.now);
    }
    return came;
  };
  const auto is_full = [&] {
    return c.signals().competing && under_way.size() >= 20 && c.signals().window <= bytes(-1);
  };
  for (int i = 0; i < 6000 && !is_full(); ++i) {
    write();
    path.now += 10ms;
    acked(400ms + 10ms * (i / 40 % 4));
  }
  ASSERT_TRUE(is_full());
  const ByteCount before = c.signals().window;
  c.on_lost(path.now);
  ASSERT_LT(c.signals().window, before);
  const int was = static_cast<int>(under_way.size());
  int came = 0;
  int written = 0;
  while (came < was) {
    path.now += 10ms;
    came += acked(400ms);
    written += write();
    EXPECT_GE(written, came / 2 - 2) << came;
    EXPECT_EQ(c.drain_rate(), qvid::DataRate()) << "what drains is the other's queue";
  }
  EXPECT_LT(written, was);
  EXPECT_LE(bytes(2), c.signals().window);
}

}  // namespace
}  // namespace paceline
