// PACE on a line whose rate falls: what it does once its queue has drained.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

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

  // There is always more to send; gives for how much of the time the line stood idle.
  double run(Duration time, Duration base) {
    Duration idle{};
    for (const Timestamp end = now_ + time; now_ < end; now_ += 1ms) {
      while (controller_.allowance(now_) > ByteCount()) {
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
             .gate_limited = true},
            now_);
      }
    }
    return to_seconds(idle) / to_seconds(time);
  }
  void set_rate(double bytes_a_second) { rate_ = bytes_a_second; }

 private:
  struct Sent {
    Timestamp written;
    Timestamp back;
  };
  PaceController controller_{{}};
  double rate_;
  Timestamp now_{1s};
  Timestamp free_{};
  std::deque<Sent> sent_;
};

// What is under way of the old rate takes up to a quarter of a second to drain. Behind it the line
// goes on: the pace is not held by round trips of a queue that is gone.
TEST(PaceController, ALineThatBecameSlowIsUsedOnceItsQueueHasDrained) {
  double idle = 0;
  int lines = 0;
  for (const Duration before : {6200ms, 6800ms, 7400ms, 8000ms}) {
    for (const double slow : {50e3, 75e3, 100e3, 150e3}) {
      Line line(500e3);
      line.run(before, 30ms);
      line.set_rate(slow);
      line.run(150ms, 30ms);
      idle += line.run(500ms, 30ms);
      ++lines;
    }
  }
  EXPECT_LT(idle / lines, 0.05);
}

}  // namespace
}  // namespace paceline
