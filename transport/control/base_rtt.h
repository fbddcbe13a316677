// How long the round trip is without a queue: the smallest one seen. It is forgotten only where the
// smallest of six periods in a row, each with a dip, is the same and above it: then the route has
// become longer.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "base/units.h"
#include "transport/control/pace_math.h"

namespace paceline {

class BaseRtt {
 public:
  qvid::Duration value() const { return base_; }  // zero: no sample yet

  // Gives whether it fell by more than jitter.
  bool sample(qvid::Duration rtt) {
    using qvid::operator""ms;
    const bool fell = base_ - rtt > std::max(qvid::Duration(2ms), scaled(base_, kFellPart));
    base_ = base_ == qvid::Duration::zero() ? rtt : std::min(base_, rtt);
    period_min_ = std::min(period_min_, rtt);
    return fell;
  }
  // A dip is over: others may have dipped at any time since the last one.
  void end_period() {
    if (period_min_ == qvid::Duration::max()) return;
    std::rotate(lows_.begin(), lows_.begin() + 1, lows_.end());
    lows_.back() = std::exchange(period_min_, qvid::Duration::max());
    const auto [low, high] = std::minmax_element(lows_.begin(), lows_.end());
    if (*low > base_ && flat(*low, *high)) base_ = *low;
  }
  // Others filled the queue meanwhile.
  void forget_periods() { lows_ = {}; }
  void replace(qvid::Duration rtt) {
    base_ = rtt;
    forget_periods();
  }

 private:
  static constexpr double kFellPart = 0.05;

  qvid::Duration base_{};
  qvid::Duration period_min_ = qvid::Duration::max();
  std::array<qvid::Duration, 6> lows_{};  // newest last; zero: none
};

}  // namespace paceline
