// The rate of the encoder: what its receivers together can take, and no more.
//
// Each receiver has a rate of its own (transport/rate/receiver_rate.h).
//
//   total = the highest of the receivers' rates: CPU is spent on what somebody gets
//   base  = kBaseShare of the total, and at most half of the lowest receiver's rate, so that the
//           weakest has a moving picture too
//   under kOneLayer (up again at kTwoLayers) only the base is made: it gets all that there is, as
//   half of a total whose other half nobody makes
//
// Nobody watching: the full rate stays for the next. Pure. Thread: one at a time.
#pragma once

#include <span>

#include "base/units.h"

namespace qvid::media {

struct EncoderRates {
  DataRate total;
  DataRate base;
  int layers = 2;
  bool operator==(const EncoderRates&) const = default;
};

class EncoderRate {
 public:
  static constexpr double kBaseShare = 0.2;
  static constexpr DataRate kOneLayer = DataRate::from_kbps(150);
  static constexpr DataRate kTwoLayers = DataRate::from_kbps(200);

  explicit EncoderRate(DataRate highest) : highest_(highest) {}

  // `receivers`: the rates of those that are not paused.
  EncoderRates rates(std::span<const DataRate> receivers);

 private:
  DataRate highest_;
  bool base_only_ = false;
};

}  // namespace qvid::media
