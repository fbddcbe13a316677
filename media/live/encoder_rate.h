// The rate of the encoder: what its receivers together can take, and no more.
//
// Each receiver has a rate of its own (transport/rate/receiver_rate.h).
//
//   total = the highest of the receivers' rates: CPU is spent on what somebody gets
//   base  = kBaseShare of the total, and at most half of the lowest receiver's rate, so that the
//           weakest has a moving picture too
//   base_needed   the lowest takes less than kDiffers of the highest, or, since they did, less than
//                 kAlike; or one shares its path with a competitor, where what goes through moves
//                 from moment to moment. Otherwise the codec may make one layer, which is sharper
//                 at the same rate.
//
// Nobody watching: the full rate stays for the next. Pure. Thread: one at a time.
#pragma once

#include <span>

#include "base/units.h"

namespace qvid::media {

struct EncoderRates {
  DataRate total;
  DataRate base;
  bool base_needed = true;
  bool operator==(const EncoderRates&) const = default;
};

class EncoderRate {
 public:
  static constexpr double kBaseShare = 0.2;
  // One layer at the rate of the weakest serves all as well as two, whose base takes a fifth.
  static constexpr double kDiffers = 0.7;
  static constexpr double kAlike = 0.85;

  explicit EncoderRate(DataRate highest) : highest_(highest) {}

  // `receivers`: the rates of those that are not paused. `contended`: one is beside a competitor.
  EncoderRates rates(std::span<const DataRate> receivers, bool contended);

 private:
  DataRate highest_;
  bool differ_ = false;
};

}  // namespace qvid::media
