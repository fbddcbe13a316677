// How much faster than usual a burst may leave, where the path has shown that it takes that without a
// queue to speak of: a large picture on a fast line is through at about the line's rate, and not in a
// part of the round trip that the window makes.
//
//   a round in which half a window came back:
//     the longest round trip within half of the threshold     gain <- gain * 1.25, at most kMost
//     beyond it, or content waited for kBacklog               gain <- gain * 0.7, at least 1
//   a loss, a sudden queue                                    1, for 5 s
//
// What a burst adds to the queue is bounded by the window all the same. Beside others, whose queue
// is in each round trip, the gain is 1. Source: the bursts that RFC 7661 section 4.4.2 lets an
// application-limited sender send, here measured, as RFC 9002 section 7.7 asks for.
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace paceline {

class PeakPace {
 public:
  static constexpr double kMost = 4;

  double gain() const { return gain_; }
  // At an acknowledgement: nothing had waited.
  void on_free(qvid::Timestamp now) { free_at_ = now; }
  // `spread`: of the round's longest round trip over the base; `within`: what is no queue to speak of;
  // `proved`: half a window came back.
  void on_round(qvid::Duration spread, qvid::Duration within, bool proved, qvid::Timestamp now) {
    if (spread > within || now > free_at_ + kBacklog) {
      gain_ = std::max(1.0, gain_ * kDown);
    } else if (proved && now >= calm_from_) {
      gain_ = std::min(kMost, gain_ * kUp);
    }
  }
  void on_trouble(qvid::Timestamp now) {
    gain_ = 1;
    calm_from_ = now + kCalm;
  }

 private:
  static constexpr double kUp = 1.25;
  static constexpr double kDown = 0.7;
  static constexpr qvid::Duration kCalm = std::chrono::seconds(5);
  // Longer than a picture's time at 7 a second: then it is no peak, but all that the path takes.
  static constexpr qvid::Duration kBacklog = std::chrono::milliseconds(250);

  double gain_ = 1;
  qvid::Timestamp calm_from_{};
  qvid::Timestamp free_at_{};
};

}  // namespace paceline
