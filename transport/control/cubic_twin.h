// CUBIC's window (RFC 9438) in chunks, for a controller that is not told the kernel's, or whose content goes
// by datagrams.
//
//   W(t) = C·(t - K)³ + origin,  K = ∛((origin - W)/C);  at least what Reno would have at that β
//
// C and Reno's step are in segments, which are `part` of a chunk: a queue that is full for a whole packet
// still has room for a small one, so that who sends small ones loses seldom.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace paceline {

class CubicTwin {
 public:
  // `slow_start`: at which window it loses is not known yet, so it grows by half a round until it does, or that is
  // ended (a new flow of TCP doubles). By CUBIC's curve it would need minutes to a share of a long queue.
  void begin(double window, double part, bool slow_start, qvid::Timestamp now) {
    slow_start_ = slow_start;
    part_ = part;
    origin_ = friendly_ = window;
    k_ = 0;
    epoch_ = now;
  }
  // As much is under way as shall be by that: the curve begins here.
  void end_slow_start(double window, qvid::Timestamp now) {
    if (slow_start_) begin(window, part_, false, now);
  }
  // Once a round trip in which the window was used; gives the next window.
  double grow(double window, qvid::Duration rtt, qvid::Timestamp now) {
    if (slow_start_) return kMostGrowth * window;
    friendly_ += kFriendly * part_;
    const double t = qvid::to_seconds(now - epoch_) + qvid::to_seconds(rtt) - k_;
    const double cubic = origin_ + kC * part_ * t * t * t;
    return std::min(std::max({window, cubic, friendly_}), kMostGrowth * window);
  }
  // For so long the window was not used: as if that time had not been (RFC 9438 section 5.8). By the curve alone
  // it would jump where it is used again.
  void rest(qvid::Duration time) { epoch_ += time; }
  // The curve begins when what was lost is repaired, a round trip later.
  double on_loss(double window, double part, qvid::Duration rtt, qvid::Timestamp now) {
    part_ = part;
    slow_start_ = false;
    // Fast convergence: a flow that lost earlier than last time leaves room for others.
    origin_ = window < origin_ ? window * (1 + kBeta) / 2 : window;
    friendly_ = std::max(window * kBeta, kLeast);
    k_ = std::cbrt(std::max(0.0, origin_ - friendly_) / (kC * part_));
    epoch_ = now + rtt;
    return friendly_;
  }

 private:
  static constexpr double kBeta = 0.7;
  static constexpr double kC = 0.4;                                   // chunks/s³
  static constexpr double kFriendly = 3 * (1 - kBeta) / (1 + kBeta);  // chunks a round
  static constexpr double kMostGrowth = 1.5;                          // a round
  static constexpr double kLeast = 2;

  bool slow_start_ = false;
  qvid::Timestamp epoch_{};
  double part_ = 1;  // of a chunk, since the epoch began
  double origin_ = 0;
  double friendly_ = 0;
  double k_ = 0;  // s
};

}  // namespace paceline
