// When a direction gives up its channel. Source: 000 section 4.3.2.
//
//   failover_thresh = max(225 ms, rtt + 5·rttvar)                                       (eq. 4.1)
//
// The paper starts a timer of this length with every message. Here it is one deadline, and it
// starts again whenever an acknowledgement shows that the channel still moves (as RFC 6298 section
// 5.3 has it): a queue that is long and moving is no failure. After a failover it doubles, so that a
// dead path costs a few new sockets and not hundreds, until a round trip has been measured again. An
// acknowledgement is not enough (Karn's algorithm, RFC 6298 section 5.7): where a competitor's queue
// has made the round trip longer than the threshold, each failover comes before the first
// acknowledgement that could tell so, and what was taken for the round trip stays for ever.
#pragma once

#include <algorithm>

#include "transport/control/rtt_estimator.h"

namespace paceline {

class FailoverTimer {
 public:
  // When the channel has failed; kNever while nothing is in flight. `oldest`: when the oldest
  // record in flight was written.
  qvid::Timestamp deadline(qvid::Timestamp oldest, const RttEstimator& rtt) const {
    if (oldest == qvid::kNever) return qvid::kNever;
    return std::max(oldest, progress_) + threshold(rtt);
  }
  qvid::Duration threshold(const RttEstimator& rtt) const {
    const qvid::Duration base =
        rtt.valid() ? std::max(kMinimum, rtt.rtt() + 5 * rtt.variation()) : kInitial;
    return std::min(base * (1 << in_a_row_), std::max(base, kMaximum));
  }
  // Something was acknowledged; `measured`: by it the round trip is known.
  void on_progress(qvid::Timestamp now, bool measured) {
    progress_ = now;
    if (measured) in_a_row_ = 0;
  }
  void on_failover(qvid::Timestamp now) {
    progress_ = now;
    in_a_row_ = std::min(in_a_row_ + 1, 6);
  }

 private:
  static constexpr qvid::Duration kMinimum = std::chrono::milliseconds(225);  // eq. 4.1
  static constexpr qvid::Duration kInitial = std::chrono::seconds(1);  // RFC 6298 section 2.1
  static constexpr qvid::Duration kMaximum = std::chrono::seconds(4);

  qvid::Timestamp progress_{};
  int in_a_row_ = 0;
};

}  // namespace paceline
