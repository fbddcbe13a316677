// A controller and a path of fixed delay, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "transport/control/controller_pace.h"

namespace paceline {

inline constexpr std::int64_t kPathChunk = 1420;

// Nothing has arrived yet.
inline SocketSample with_unsent(std::int64_t bytes) {
  SocketSample sample;
  sample.unacked = ByteCount(std::int64_t{1} << 40);
  sample.unsent = ByteCount(bytes);
  return sample;
}

inline SocketSample window_of_20(std::uint32_t sacked) {
  SocketSample sample;
  sample.cwnd = 20;
  sample.sacked = sacked;
  sample.mss = ByteCount(1448);
  return sample;
}

// A path of fixed delay and no limit: every chunk comes back after `rtt`.
class PacePath {
 public:
  explicit PacePath(Duration rtt) : rtt_(rtt) {}

  // Until `chunks` more are acknowledged; `gated` as the engine would say; if not, one is under way
  // at a time once those before have come.
  void run(int chunks, bool gated) {
    for (int i = 0; i < chunks; ++i) {
      fill(gated ? 1000 : sent_.empty() ? 1 : 0);
      ASSERT_FALSE(sent_.empty());
      const Timestamp written = sent_.front();
      sent_.erase(sent_.begin());
      now = std::max(now, written + rtt_);
      controller.on_acked(
          {.acked = ByteCount(kPathChunk),
           .unacked = ByteCount(kPathChunk * static_cast<std::int64_t>(sent_.size())),
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
      controller.on_written(ByteCount(kPathChunk), now);
      sent_.push_back(now);
    }
  }

  Timestamp now{std::chrono::seconds(1)};
  PaceController controller{{}};

 private:
  Duration rtt_;
  std::vector<Timestamp> sent_;
};

}  // namespace paceline
