// How much may be written while more is under way than a window that fell at once: not nothing
// until the rest has drained, which would be a gap as long as the queue, but a part of what
// arrives. And how fast it drains, which is what the path carries now. Source: Proportional Rate
// Reduction, RFC 6937 section 3; the part is window / what was under way.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace paceline {

class RateReduction {
 public:
  // `outstanding`: bytes under way. `acked_at`: of the P-ACK at which it begins; kNever: at none,
  // and what the path does is known from the next one on, which may end a stall.
  void begin(double outstanding, qvid::Timestamp acked_at) {
    *this = {};
    before_ = outstanding;
    first_ = last_ = acked_at;
  }
  void end() { *this = {}; }
  bool active() const { return before_ > 0; }

  // True: what was under way has arrived, and the reduction is over.
  bool on_acked(double bytes, qvid::Timestamp now) {
    if (!active()) return false;
    delivered_ += bytes;
    if (first_ == qvid::kNever) {
      first_ = now;
    } else {
      drained_ += bytes;
    }
    last_ = now;
    if (delivered_ < before_) return false;
    end();
    return true;
  }
  void on_written(double bytes) { written_ += bytes; }

  // Bytes that may be written for a window of that many; negative where it was more.
  double room(double window) const {
    return delivered_ * std::min(window / before_, 1.0) - written_;
  }
  // Zero while it is not active, or less than `least` bytes or kLeastTime tell of it. Of one or two
  // segments the time between two acknowledgements says little: on 0.3 Mbit/s a peak of the flow's
  // own was told as a line that fell to a third.
  qvid::DataRate drain_rate(double least) const {
    if (!active() || first_ == qvid::kNever || last_ < first_ + kLeastTime) return {};
    if (drained_ < least) return {};
    return qvid::DataRate::of(qvid::ByteCount(static_cast<std::int64_t>(drained_)), last_ - first_);
  }

 private:
  static constexpr qvid::Duration kLeastTime = std::chrono::milliseconds(10);

  double before_ = 0;  // bytes under way at the begin
  double delivered_ = 0;
  double written_ = 0;
  double drained_ = 0;  // from first_ to last_
  qvid::Timestamp first_{};
  qvid::Timestamp last_{};
};

}  // namespace paceline
