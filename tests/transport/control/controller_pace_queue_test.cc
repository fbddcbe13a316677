// What PACE does about queues: those that grow, those that are there at once, and what looks like one.
#include <gtest/gtest.h>

#include <vector>

#include "tests/transport/control/pace_path.h"

namespace paceline {
namespace {

using qvid::operator""ms;

TEST(PaceController, QueueingShrinksTheWindow) {
  PacePath path(30ms);
  path.run(300, true);
  PaceController& c = path.controller;
  const ByteCount before = c.signals().window;
  for (int i = 0; i < 50; ++i) {
    path.now += 40ms;
    c.on_written(ByteCount(kPathChunk), path.now);
    c.on_acked({.acked = ByteCount(kPathChunk), .unacked = {}, .rtt = 120ms, .gate_limited = true},
               path.now + 120ms);
    path.now += 120ms;
  }
  EXPECT_LT(c.signals().window, before / 4);
}

// The line falls to a twentieth: what is under way makes each round trip longer than the one
// before, and the window is right for the longest, before the round ends.
TEST(PaceController, ASuddenQueueIsFollowedToItsEnd) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto trip = [&](Duration rtt, std::int64_t left) {
    c.on_acked({.acked = ByteCount(left == 0 ? 40 * kPathChunk : 10),
                .unacked = ByteCount(left),
                .rtt = rtt,
                .gate_limited = true},
               path.now);
    return c.signals().window.value();
  };
  const auto round = [&](Duration rtt) {
    c.on_written(ByteCount(40 * kPathChunk), path.now);
    path.now += rtt;
    trip(rtt, 0);
  };
  round(60ms);                               // a queue ends its start-up
  for (int i = 0; i < 60; ++i) round(31ms);  // its first dip is over
  c.on_written(ByteCount(40 * kPathChunk), path.now);
  const std::int64_t before = c.signals().window.value();
  path.now += 100ms;
  const std::int64_t at_120 = trip(120ms, 39 * kPathChunk);
  EXPECT_LT(at_120, before / 2);
  EXPECT_LT(trip(240ms, 38 * kPathChunk), at_120 * 6 / 10);
  const std::int64_t at_480 = trip(480ms, 37 * kPathChunk);
  EXPECT_LT(at_480, at_120 * 4 / 10);
  EXPECT_EQ(trip(300ms, 36 * kPathChunk), at_480) << "it falls: the step is over";
}

// In an outage the round trip that is not over grows and grows, and the window gives way; what comes
// back first has waited behind what stood there. With neither is anything said of the path.
TEST(PaceController, AnOutageIsNoQueue) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  for (int i = 0; i < 60; ++i) {
    c.on_written(ByteCount(40 * kPathChunk), path.now);
    const Duration rtt = i == 0 ? 60ms : 31ms;  // a queue ends its start-up
    path.now += rtt;
    c.on_acked(
        {.acked = ByteCount(40 * kPathChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
        path.now);
  }
  const ByteCount before = c.signals().window;
  c.on_written(ByteCount(40 * kPathChunk), path.now);
  SocketSample nothing;
  nothing.unacked = ByteCount(40 * kPathChunk);
  for (int i = 0; i < 300; ++i) c.on_socket(nothing, path.now += 10ms);
  EXPECT_LT(c.signals().window, before / 8);
  c.on_outage_over(path.now);
  const ByteCount begin = c.signals().window;
  EXPECT_NEAR(static_cast<double>(begin.value()), 20 * kPathChunk, 2 * kPathChunk);
  // The first ones come 150 ms later, behind a full queue; then it is gone.
  ByteCount window = begin;
  for (int i = 0; i < 6; ++i) {
    const Duration rtt = i == 0 ? 150ms : 31ms;
    c.on_written(window, path.now);
    path.now += rtt;
    c.on_acked({.acked = window, .unacked = {}, .rtt = rtt, .gate_limited = true}, path.now);
    EXPECT_GE(c.signals().window, window) << i;
    window = c.signals().window;
  }
  EXPECT_GE(window, before);
  EXPECT_EQ(c.drain_rate(), qvid::DataRate());
}

// While more is under way than the new window, a part of what arrives goes on: no gap of a queue's
// length. What arrives is told as the rate of the path.
TEST(PaceController, ASuddenQueueDrainsWithoutAGap) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  for (int i = 0; i < 60; ++i) {
    c.on_written(ByteCount(40 * kPathChunk), path.now);
    const Duration rtt = i == 0 ? 60ms : 31ms;  // a queue ends its start-up
    path.now += rtt;
    c.on_acked(
        {.acked = ByteCount(40 * kPathChunk), .unacked = {}, .rtt = rtt, .gate_limited = true},
        path.now);
  }
  const ByteCount before = c.signals().window;
  std::int64_t left = 40 * kPathChunk;
  c.on_written(ByteCount(left), path.now);
  // From now on one chunk in 10 ms: 1136 kbit/s.
  const Timestamp begin = path.now;
  std::vector<Duration> written;
  for (int i = 1; i <= 30; ++i) {
    path.now = begin + 100ms + i * 10ms;
    left -= kPathChunk;
    c.on_acked({.acked = ByteCount(kPathChunk),
                .unacked = ByteCount(left),
                .rtt = 100ms + i * 10ms,
                .gate_limited = true},
               path.now);
    while (c.allowance(path.now) > ByteCount()) {
      c.on_written(ByteCount(kPathChunk), path.now);
      left += kPathChunk;
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
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  const auto acked = [&](Duration rtt) {
    path.now += rtt;
    c.on_acked(
        {.acked = ByteCount(10 * kPathChunk), .unacked = {}, .rtt = rtt, .gate_limited = false},
        path.now);
  };
  for (int i = 0; i < 60; ++i) {
    c.on_written(ByteCount(10 * kPathChunk), path.now);
    acked(i == 0 ? 60ms : 31ms);  // a queue ends its start-up
  }
  const ByteCount window = c.signals().window;
  c.on_written(ByteCount(2 * kPathChunk), path.now);
  c.on_socket(with_unsent(0), path.now + 31ms);
  EXPECT_GT(c.allowance(path.now + 31ms), ByteCount()) << "as usual";
  c.on_socket(with_unsent(0), path.now + 37ms);
  EXPECT_LE(c.allowance(path.now + 37ms), ByteCount());
  EXPECT_EQ(c.drain_rate(), qvid::DataRate()) << "not yet a line that fell";
  acked(38ms);
  EXPECT_GT(c.allowance(path.now), ByteCount());
  EXPECT_GE(c.signals().window, window * 7 / 8) << "it follows its use, and nothing more";
}

// A P-ACK may be lost, too. What the peer's kernel has acknowledged meanwhile has left the path:
// neither late, nor in the way of more, nor a queue or a loss of this direction when its P-ACK comes.
TEST(PaceController, AWordThatIsLostOnItsWayBackIsNoQueue) {
  PacePath path(30ms);
  path.run(100, true);
  PaceController& c = path.controller;
  for (int i = 0; i < 60; ++i) {
    c.on_written(ByteCount(10 * kPathChunk), path.now);
    path.now += i == 0 ? 60ms : 31ms;
    c.on_acked({.acked = ByteCount(10 * kPathChunk),
                .unacked = {},
                .rtt = i == 0 ? 60ms : 31ms,
                .gate_limited = false},
               path.now);
  }
  const ByteCount window = c.signals().window;
  SocketSample sample = window_of_20(0);
  for (const Duration after : {0ms, 35ms}) {
    c.on_written(ByteCount(10 * kPathChunk), path.now + after);
    sample.unacked = ByteCount(10 * kPathChunk);  // of the first ten all have arrived
    c.on_socket(sample, path.now + after);
  }
  sample.unacked = ByteCount();
  c.on_socket(sample, path.now + 70ms);
  EXPECT_GE(c.signals().window, window * 7 / 8);
  EXPECT_GT(c.allowance(path.now + 100ms), ByteCount(kPathChunk));
  c.on_written(ByteCount(kPathChunk), path.now + 100ms);
  c.on_acked({.acked = ByteCount(20 * kPathChunk),
              .unacked = ByteCount(kPathChunk),
              .rtt = 95ms,
              .gate_limited = false},
             path.now + 130ms);
  EXPECT_GE(c.signals().window, window * 7 / 8);
  EXPECT_EQ(c.drain_rate(), qvid::DataRate());
  // A peer that reads nothing acknowledges nothing, whatever its kernel has taken: two windows.
  std::int64_t written = 0;
  for (int i = 0; i < 1000; ++i) {
    const Timestamp now = path.now + 200ms + i * 10ms;
    c.on_socket(sample, now);
    if (c.allowance(now) <= ByteCount()) continue;
    c.on_written(ByteCount(kPathChunk), now);
    written += kPathChunk;
  }
  EXPECT_LE(written, 2 * window.value() + 2 * kPathChunk);
}

// The first dip is of those who begin together and fill the path. A video that never did is not
// stopped when a queue ends its start-up.
TEST(PaceController, AVideoThatLeavesThePathIdleHasNoFirstDip) {
  PacePath path(30ms);
  PaceController& c = path.controller;
  path.run(100, false);
  for (int i = 0; i < 20; ++i) {
    c.on_written(ByteCount(kPathChunk), path.now);
    path.now += 45ms;
    c.on_acked({.acked = ByteCount(kPathChunk), .unacked = {}, .rtt = 45ms, .gate_limited = false},
               path.now);
    ASSERT_GT(c.allowance(path.now), ByteCount(kPathChunk / 2)) << i;
  }
}

// On a narrow line each dip is a gap in a video. Who seldom waits for its window makes no queue.
TEST(PaceController, WhoSeldomWaitsSeldomDips) {
  const auto dips_of_half_a_minute = [](bool gated) {
    PacePath path(30ms);
    PaceController& c = path.controller;
    path.run(100, true);
    int dips = 0;
    bool dipping = false;
    std::int64_t usual = c.signals().window.value();
    for (int i = 0; i < 800; ++i) {
      const Duration rtt = i == 0 ? 70ms : dipping ? 30ms : 38ms;
      c.on_written(ByteCount(2 * kPathChunk), path.now);
      path.now += rtt;
      c.on_acked({.acked = ByteCount(2 * kPathChunk),
                  .unacked = {},
                  .rtt = rtt,
                  .gate_limited = gated || i % 8 == 0},
                 path.now);
      const std::int64_t window = c.signals().window.value();
      const bool small = window < usual * 6 / 10;
      if (small && !dipping) ++dips;
      dipping = small;
      if (!small) usual = window;
    }
    return dips;
  };
  EXPECT_GE(dips_of_half_a_minute(true), 5);
  EXPECT_LE(dips_of_half_a_minute(false), 2);  // the first one, and what ends the start-up
}

// What is written again after a failover tells no round trip; its age is no queue, and an old
// sudden queue is of the old socket.
TEST(PaceController, AFailoverIsNoSuddenQueue) {
  PacePath path(60ms);
  path.run(300, true);
  PaceController& c = path.controller;
  const std::int64_t most = c.signals().window.value();
  path.fill(1000);
  path.now += 400ms;  // a stall
  c.on_socket(with_unsent(0), path.now);
  EXPECT_LT(c.signals().window.value(), most / 2);
  c.on_new_socket(path.now);
  for (int round = 0; round < 8; ++round) {
    std::int64_t written = 0;
    while (c.allowance(path.now) > ByteCount()) {
      c.on_written(ByteCount(kPathChunk), path.now);
      written += kPathChunk;
    }
    path.now += 60ms;
    c.on_socket(with_unsent(0), path.now);
    c.on_acked({.acked = ByteCount(written), .unacked = {}, .rtt = {}, .gate_limited = true},
               path.now);
  }
  EXPECT_GT(c.signals().window, ByteCount(15 * kPathChunk));
}

// Small records, samples of the round trip, are nearly always under way; of a window that is smaller
// than half a chunk they would leave room for no chunk for ever.
TEST(PaceController, TheSmallestWindowLetsAChunkGoBesideASample) {
  PacePath path(60ms);
  PaceController& c = path.controller;
  path.run(300, true);
  for (int i = 0; i < 200 && c.signals().window > ByteCount(kPathChunk / 3); ++i) {
    c.on_written(ByteCount(2), path.now);
    path.now += 400ms;
    c.on_acked({.acked = ByteCount(2), .unacked = {}, .rtt = 400ms, .gate_limited = true},
               path.now);
  }
  ASSERT_LT(c.signals().window, ByteCount(kPathChunk / 2));
  path.now += 5000ms;
  c.on_written(ByteCount(2), path.now);
  EXPECT_GT(c.allowance(path.now + 1ms), ByteCount());
}

// A chunk, written 200 ms ago; gives the window from before.
ByteCount write_late(PacePath& path) {
  path.run(300, true);
  path.controller.on_written(ByteCount(kPathChunk), path.now);
  path.now += 200ms;
  return path.controller.signals().window;
}

// A lost segment holds back what comes after it: its repair is no queue.
TEST(PaceController, AChunkThatWaitsForARepairIsNoQueue) {
  PacePath path(100ms);
  PaceController& c = path.controller;
  const ByteCount before = write_late(path);
  SocketSample sample = with_unsent(0);
  sample.sacked = 3;
  c.on_socket(sample, path.now);
  EXPECT_EQ(c.signals().window, before);
  // Repaired; its acknowledgement is late for that reason, however late it is.
  c.on_socket(with_unsent(0), path.now);
  EXPECT_EQ(c.signals().window, before);
}

TEST(PaceController, AChunkThatNothingRepairsIsAQueue) {
  PacePath path(100ms);
  PaceController& c = path.controller;
  const ByteCount before = write_late(path);
  c.on_socket(with_unsent(0), path.now);
  EXPECT_LT(c.signals().window, before);
}

// Content may go over further sockets while delay is the guide: not while it learns what the path
// takes, nor while its share is one flow's.
TEST(PaceController, OtherSocketsCarryContentWhileDelayIsTheGuide) {
  PacePath path(60ms);
  PaceController& c = path.controller;
  EXPECT_EQ(c.elsewhere(path.now), ByteCount());
  path.run(300, true);
  EXPECT_EQ(c.elsewhere(path.now), ByteCount());
  c.on_socket(window_of_20(3), path.now);  // a loss ends the start-up
  path.run(10, true);
  c.on_acked({.acked = ByteCount(kPathChunk), .unacked = {}, .rtt = 60ms}, path.now);
  c.on_written(ByteCount(kPathChunk), path.now);
  path.now += 20ms;
  SocketSample full = window_of_20(0);
  full.unacked = ByteCount(kPathChunk);
  full.unsent = ByteCount(1 << 16);
  c.on_socket(full, path.now);
  EXPECT_LE(c.allowance(path.now), ByteCount());  // this one's kernel takes no more
  EXPECT_GT(c.elsewhere(path.now), ByteCount());
}

}  // namespace
}  // namespace paceline
