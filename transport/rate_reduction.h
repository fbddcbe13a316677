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
  // `outstanding`: bytes under way.
  void begin(double outstanding, qvid::Timestamp now) {
    *this = {};
    before_ = outstanding;
    began_ = last_ = now;
  }
  void end() { *this = {}; }
  bool active() const { return before_ > 0; }

  // True: what was under way has arrived, and the reduction is over.
  bool on_acked(double bytes, qvid::Timestamp now) {
    if (!active()) return false;
    delivered_ += bytes;
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
  // Zero while it is not active, or too little has arrived to tell.
  qvid::DataRate drain_rate() const {
    if (last_ < began_ + kLeastTime) return {};
    return qvid::DataRate::of(qvid::ByteCount(static_cast<std::int64_t>(delivered_)),
                              last_ - began_);
  }

 private:
  static constexpr qvid::Duration kLeastTime = std::chrono::milliseconds(10);

  double before_ = 0;  // bytes under way at the begin
  double delivered_ = 0;
  double written_ = 0;
  qvid::Timestamp began_{};
  qvid::Timestamp last_{};  // P-ACK
};

}  // namespace paceline
