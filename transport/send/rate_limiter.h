// The most that the other end wants to be sent (Hello::receive_limit), over all ways of a session:
// what is over it waits in the send queue, by its order and until its deadline, and not on the path.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <limits>

#include "transport/control/pacer.h"

namespace paceline {

class RateLimiter {
 public:
  // Less would hold up what keeps a session alive: who wants less gets this.
  static constexpr qvid::DataRate kLeast = qvid::DataRate::from_kbps(16);

  // Zero: no limit.
  void set(qvid::DataRate rate, qvid::Timestamp now) {
    if (rate > qvid::DataRate()) rate = std::max(rate, kLeast);
    rate_ = rate;
    const double bytes_a_second = static_cast<double>(rate.bps()) / 8;
    constexpr double kAll = std::numeric_limits<double>::infinity();
    pacer_.set(bytes_a_second, std::max(kLeastBurst, bytes_a_second * qvid::to_seconds(kBurst)),
               kAll, now);
  }
  qvid::DataRate rate() const { return rate_; }
  // Bytes that may be written now, to whichever way; zero or less: none.
  qvid::ByteCount allowance(qvid::Timestamp now) const {
    return qvid::ByteCount(static_cast<std::int64_t>(pacer_.tokens(now)));
  }
  qvid::Timestamp opens_at(qvid::Timestamp now) const { return pacer_.opens_at(now); }
  void on_written(qvid::ByteCount bytes, qvid::Timestamp now) {
    pacer_.on_written(static_cast<double>(bytes.value()), now);
  }

 private:
  // At once: what it adds to the delay where the path behind carries just the limit; and two chunks,
  // or a slow one would be let through in crumbs.
  static constexpr qvid::Duration kBurst = std::chrono::milliseconds(50);
  static constexpr double kLeastBurst = 2 * 1400;

  qvid::DataRate rate_;
  Pacer pacer_;
};

}  // namespace paceline
