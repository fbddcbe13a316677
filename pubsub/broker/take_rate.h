// How much one seat can take, from what became of what it was sent.
//
// Model: where nothing was given up in an interval, there is room for more than was delivered:
// the estimate grows by kGrowth an interval up to kHeadroom of what is delivered. Where something
// was given up, what was delivered is what there is. Cruder than what a sender of live video
// measures of its own path (media/live/delivery_meter.h): the publisher only chooses its top rate
// by it, and what does not fit is given up layer by layer. An interval in which less than kLeast
// came to an end tells nothing: of a source that pauses, as sound does, two small items are no
// rate, and one of them late is no path that carries half.
//
// Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace qps {

class TakeRate {
 public:
  static constexpr qvid::Duration kInterval = std::chrono::milliseconds(500);
  static constexpr qvid::ByteCount kLeast{1000};  // 16 kbit/s
  static constexpr double kGrowth = 1.15;
  static constexpr double kHeadroom = 2.0;

  void on_delivered(qvid::ByteCount bytes) { delivered_ += bytes; }
  void on_given_up(qvid::ByteCount bytes) { given_up_ += bytes; }
  // Something else is sent from now on: the interval that it begins in tells too little.
  void begin() { begins_ = true; }

  // Once an interval of that length.
  void end_interval(qvid::Duration length) {
    const qvid::ByteCount bytes = std::exchange(delivered_, {});
    const qvid::ByteCount lost = std::exchange(given_up_, {});
    if (std::exchange(begins_, false) || bytes + lost < kLeast) return;
    const auto delivered = static_cast<double>(qvid::DataRate::of(bytes, length).bps());
    if (lost > qvid::ByteCount()) {
      rate_ = rate_ > 0 ? std::min(rate_, std::max(delivered, rate_ / 2)) : delivered;
    } else {
      // A still picture takes little, which says nothing of the path.
      const double most = kHeadroom * delivered;
      rate_ = std::max({rate_, std::min(rate_ * kGrowth, most), delivered * kGrowth});
    }
  }
  qvid::DataRate rate() const { return qvid::DataRate::from_bps(static_cast<std::int64_t>(rate_)); }

 private:
  qvid::ByteCount delivered_;
  qvid::ByteCount given_up_;
  bool begins_ = false;
  double rate_ = 0;  // bit/s
};

}  // namespace qps
