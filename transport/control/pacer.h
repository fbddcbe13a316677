// Token bucket: `rate` on average, at most a quantum at once, so that coarse timers suffice. What goes although
// there are none (urgent messages) holds up the others, for as long as a bound says: a voice that takes more than
// the rate would owe more and more.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace paceline {

class Pacer {
 public:
  // Bytes a second, bytes.
  void set(double rate, double quantum, double most_owed, qvid::Timestamp now) {
    tokens_ = rate_ > 0 ? tokens(now) : quantum;
    at_ = std::max(at_, now);
    rate_ = rate;
    quantum_ = quantum;
    most_owed_ = most_owed;
  }
  void on_written(double bytes, qvid::Timestamp now) {
    if (rate_ <= 0) return;
    const double before = tokens(now);
    tokens_ = before - bytes;
    if (before <= 0) tokens_ = std::max(tokens_, std::min(before, -most_owed_));
    at_ = std::max(at_, now);
  }
  // What may be written now; all there is before a rate is set.
  double tokens(qvid::Timestamp now) const {
    if (rate_ <= 0) return kNoLimit;
    if (now <= at_) return tokens_;
    return std::min(quantum_, tokens_ + rate_ * qvid::to_seconds(now - at_));
  }
  double quantum() const { return quantum_; }
  qvid::Timestamp opens_at(qvid::Timestamp now) const {
    using std::chrono::microseconds, std::chrono::seconds;
    const double missing = quantum_ / 2 - tokens(now);
    if (rate_ <= 0 || missing <= 0) return now;
    return now + std::clamp(qvid::from_seconds(missing / rate_), qvid::Duration(microseconds(50)),
                            qvid::Duration(seconds(1)));
  }

 private:
  static constexpr double kNoLimit = 1e9;

  double rate_ = 0;  // zero: not known yet, no limit
  double quantum_ = 0;
  double most_owed_ = 0;
  double tokens_ = 0;
  qvid::Timestamp at_{};
};

}  // namespace paceline
