// Round trip from P-ACKs. Source: 000 equations 3.1-3.3; sample = the smallest of the records that
// one acknowledgement covers (the newest of them), so that waiting in the receiver is not counted.
//
//   ewma(avg, s, a) = (1-a)·s + a·avg       ewma⁻ = s if s <= avg else ewma
//   rttvar = the opposite filter, ewma⁺, over |s - rtt|: the smoothed maximum deviation that
//   equation 4.1 asks for
#pragma once

#include "base/units.h"

namespace paceline {

class RttEstimator {
 public:
  void add(qvid::Duration sample) {
    if (samples_++ == 0) {
      rtt_ = low_ = sample;
      variation_ = sample / 2;  // RFC 6298 section 2.2
      return;
    }
    const qvid::Duration deviation = sample > rtt_ ? sample - rtt_ : rtt_ - sample;
    variation_ = deviation >= variation_ ? deviation : ewma(variation_, deviation, kFade);
    rtt_ = ewma(rtt_, sample, kSmooth);
    low_ = sample <= low_ ? sample : ewma(low_, sample, kHeavy);
  }
  bool valid() const { return samples_ > 0; }
  // Zero before the first sample.
  qvid::Duration rtt() const { return rtt_; }
  // The filter that follows dips at once and rises slowly: the path with an empty queue.
  qvid::Duration low() const { return low_; }
  qvid::Duration variation() const { return variation_; }

 private:
  static constexpr double kSmooth = 0.875;  // the weight RFC 6298 gives to the past
  static constexpr double kHeavy = 0.99;    // 000 section 3.3, "heavy smoothing"
  static constexpr double kFade = 0.98;     // a maximum is forgotten over some 50 P-ACKs

  static qvid::Duration ewma(qvid::Duration average, qvid::Duration sample, double a) {
    return qvid::Duration(static_cast<qvid::Duration::rep>(
        (1 - a) * static_cast<double>(sample.count()) + a * static_cast<double>(average.count())));
  }
  qvid::Duration rtt_{};
  qvid::Duration low_{};
  qvid::Duration variation_{};
  long samples_ = 0;
};

}  // namespace paceline
