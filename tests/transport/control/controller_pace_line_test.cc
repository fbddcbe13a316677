// PACE on a line that is not a crowd's: what it does where its rate falls, and when it dips.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "tests/transport/control/pace_path.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using qvid::to_seconds;

// A line that sends one chunk after the other; what comes back takes `base` more.
class Line {
 public:
  explicit Line(double rate) : rate_(rate) {}

  // There is always more to send, or that many chunks each 33 ms; gives for how much of the time the
  // line stood idle.
  double run(Duration time, Duration base, int picture = 0) {
    Duration idle{};
    for (const Timestamp end = now_ + time; now_ < end; now_ += 1ms) {
      if (picture > 0 && (now_ - Timestamp{}) % 33ms == 0ms) waiting_ = picture;
      while ((picture == 0 || waiting_ > 0) && controller_.allowance(now_) > ByteCount()) {
        waiting_ = std::max(waiting_ - 1, 0);
        longest_rest = std::max(longest_rest, now_ - std::exchange(written_at_, now_));
        controller_.on_written(ByteCount(kPathChunk), now_);
        free_ = std::max(free_, now_) + qvid::from_seconds(kPathChunk / rate_);
        sent_.push_back({now_, free_ + base});
      }
      if (free_ <= now_) idle += 1ms;
      while (!sent_.empty() && now_ >= sent_.front().back) {
        const Duration rtt = now_ - sent_.front().written;
        sent_.pop_front();
        controller_.on_acked(
            {.acked = ByteCount(kPathChunk),
             .unacked = ByteCount(kPathChunk * static_cast<std::int64_t>(sent_.size())),
             .rtt = rtt,
             .gate_limited = picture == 0 || waiting_ > 0},
            now_);
      }
      const std::int64_t window = controller_.signals().window.value();
      if (window < std::exchange(window_, window) / 2) ++falls;
    }
    return to_seconds(idle) / to_seconds(time);
  }
  void set_rate(double bytes_a_second) { rate_ = bytes_a_second; }
  ByteCount least_chunk() const { return controller_.least_chunk(); }

  int falls = 0;            // of the window to less than a half within a millisecond, as at a dip
  Duration longest_rest{};  // between two chunks written

 private:
  struct Sent {
    Timestamp written;
    Timestamp back;
  };
  PaceController controller_{{}};
  double rate_;
  Timestamp now_{1s};
  Timestamp written_at_ = now_;
  int waiting_ = 0;
  std::int64_t window_ = 0;
  Timestamp free_{};
  std::deque<Sent> sent_;
};

// What is under way of the old rate takes up to a quarter of a second to drain. Behind it the line
// goes on: the pace is not held by round trips of a queue that is gone.
TEST(PaceController, ALineThatBecameSlowIsUsedOnceItsQueueHasDrained) {
  double idle = 0;
  int lines = 0;
  for (Duration before = 6s; before < 26s; before += 170ms) {
    for (const double slow : {50e3, 75e3, 100e3, 150e3}) {
      Line line(500e3);
      line.run(before, 30ms);
      line.set_rate(slow);
      line.run(150ms, 30ms);
      idle += line.run(500ms, 30ms);
      ++lines;
    }
  }
  EXPECT_LT(idle / lines, 0.06);
}

// A video leaves the line idle between two pictures, and sees the base there: once a few dips have
// shown that nobody else's queue is in it, it stops for none.
TEST(PaceController, AVideoThatKnowsTheBaseDipsNoMore) {
  Line line(500e3);
  line.run(6s, 30ms, 7);
  line.set_rate(75e3);  // a queue ends its start-up
  line.run(1s, 30ms, 7);
  line.set_rate(500e3);
  line.falls = 0;
  line.run(25s, 30ms, 7);
  EXPECT_GT(std::exchange(line.falls, 0), 0);
  line.run(60s, 30ms, 7);
  EXPECT_EQ(line.falls, 0);
}

// A greedy flow sees only its own queue, and goes on to look below it.
TEST(PaceController, AGreedyFlowGoesOnToDip) {
  Line line(500e3);
  line.run(25s, 30ms);
  line.falls = 0;
  line.run(60s, 30ms);
  EXPECT_GE(line.falls, 10);
}

// A dip would find nothing but the own queue, and stop the little that goes on behind it.
TEST(PaceController, NoDipComesWhileAnOwnQueueDrains) {
  for (Duration before = 20ms; before < 260ms; before += 20ms) {
    Line line(500e3);
    line.run(9s - before, 30ms, 7);  // the tick is at 10 s
    line.set_rate(75e3);
    line.longest_rest = {};
    line.run(500ms, 30ms, 7);
    EXPECT_LT(line.longest_rest, 150ms)
        << "the rate fell " << before / 1ms << " ms before the tick";
  }
}

// A sixth of the window goes at once, no less than 0.45 of a chunk; all of one where the window is no limit.
TEST(PaceLine, LittleGoesAtOnceWhereTheWindowIsSmall) {
  Line narrow(20'000);
  narrow.run(10s, 30ms);
  EXPECT_LT(narrow.least_chunk(), ByteCount(1000));
  EXPECT_GE(narrow.least_chunk(), ByteCount(630));
  Line wide(1'000'000);
  wide.run(10s, 30ms);
  EXPECT_EQ(wide.least_chunk(), ByteCount(1400));
  Line idle(1'000'000);
  idle.run(10s, 30ms, 1);
  EXPECT_EQ(idle.least_chunk(), ByteCount(1400));
}

}  // namespace
}  // namespace paceline
