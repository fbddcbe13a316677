// The kernel's congestion window, in segments: CUBIC (RFC 9438, with the delay half of HyStart as
// Linux has it) or Reno (RFC 5681). Fed by TcpSender, which knows when the window was the limit.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace qvid::lab::simulator {

enum class CongestionControl { kCubic, kReno };

class CongestionWindow {
 public:
  explicit CongestionWindow(CongestionControl kind) : kind_(kind) {}

  double segments() const { return window_; }
  double threshold() const { return threshold_; }
  // From now on, with nothing but the window and the threshold, as Linux.
  void become(CongestionControl kind) {
    kind_ = kind;
    last_max_ = 0;
    epoch_running_ = false;
  }
  bool slow_start_over() const { return threshold_ < kUnknown; }
  bool slow_start() const { return window_ < threshold_; }
  void set(double segments) { window_ = std::max(1.0, segments); }

  // `acked` segments, while the window was the limit.
  void on_acked(double acked, Duration srtt, Timestamp now) {
    if (slow_start()) {
      const double before = window_;
      window_ = std::min(window_ + acked, threshold_);
      acked -= window_ - before;
      if (acked <= 0) return;
    }
    window_ += kind_ == CongestionControl::kReno ? acked / window_ : cubic_growth(acked, srtt, now);
  }

  // HyStart: the round's smallest round trip has grown by more than an eighth, 4..16 ms.
  void on_round_trip(Duration round_min, Duration least) {
    const Duration tolerance = std::clamp(least / 8, Duration(4ms), Duration(16ms));
    if (kind_ == CongestionControl::kCubic && slow_start() && window_ >= 16 &&
        round_min >= least + tolerance) {
      threshold_ = window_;
    }
  }

  // Gives the window to come down to.
  double on_loss() {
    epoch_running_ = false;
    // Fast convergence: a flow that lost earlier than last time leaves room for others.
    last_max_ = window_ < last_max_ ? window_ * (1 + kBeta) / 2 : window_;
    const double beta = kind_ == CongestionControl::kReno ? 0.5 : kBeta;
    threshold_ = std::max(2.0, window_ * beta);
    return threshold_;
  }
  void on_timeout() {
    on_loss();
    window_ = 1;
  }
  // Used for a while only in part (RFC 2861).
  void on_application_limited(double used) {
    threshold_ = std::max(threshold_, 0.75 * window_);
    window_ = std::max(kInitial, (window_ + used) / 2);
  }

  static constexpr double kInitial = 10;  // RFC 6928

 private:
  static constexpr double kBeta = 0.7;  // RFC 9438
  static constexpr double kUnknown = 1e9;
  static constexpr double kC = 0.4;  // segments/s³, RFC 9438

  double cubic_growth(double acked, Duration srtt, Timestamp now) {
    if (!epoch_running_) {
      epoch_running_ = true;
      epoch_ = now;
      friendly_ = window_;
      origin_ = std::max(last_max_, window_);
      k_ = std::cbrt((origin_ - window_) / kC);
    }
    const double t = to_seconds(now - epoch_ + srtt) - k_;
    const double target = origin_ + kC * t * t * t;
    friendly_ += 3 * (1 - kBeta) / (1 + kBeta) * acked / window_;
    double growth = target > window_ ? (target - window_) / window_ : 0.01 / window_;
    if (friendly_ > window_) growth = std::max(growth, (friendly_ - window_) / window_);
    return acked * std::min(growth, 0.5);
  }

  CongestionControl kind_;
  double window_ = kInitial;
  double threshold_ = kUnknown;
  double last_max_ = 0;
  bool epoch_running_ = false;
  Timestamp epoch_{};
  double friendly_ = 0;  // what Reno would have
  double origin_ = 0;
  double k_ = 0;
};

}  // namespace qvid::lab::simulator
