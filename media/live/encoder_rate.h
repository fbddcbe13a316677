// The rate of the encoder: what its viewers together can take, and no more.
//
// Each viewer has a rate of its own, from what its path shows (delivery_meter.h), every kInterval:
//
//   overrun   units came late, or busy > kBusy:       rate <- min(rate, kMargin * capacity)
//   slowed    the transport says so (at any time):    rate <- min(rate, kMargin * what it says)
//   headroom  none late for kHold, and busy < kIdle:  rate <- rate * min(kStep, kMargin / busy)
//   else      as it is
//
// Begins at kBegin. Quickly down, slowly up: an overrun shows as queues within a frame or two,
// while a step up that was too far costs frames. Between kIdle and kBusy nothing moves, so a rate
// that fits does not probe.
//
//   total = the highest of the viewers' rates: CPU is spent on what somebody gets
//   base  = kBaseShare of the total, and at most half of the lowest viewer's rate, so that the
//           weakest has a moving picture too
//   under kOneLayer (up again at kTwoLayers) only the base is made: it gets all that there is, as
//   half of a total whose other half nobody makes
//
// Nobody watching: the full rate stays for the next. Pure. Thread: one at a time.
#pragma once

#include <algorithm>
#include <span>

#include "media/live/delivery_meter.h"

namespace qvid::media {

// One viewer's part of it.
class ViewerRate {
 public:
  static constexpr Duration kInterval = std::chrono::milliseconds(100);
  static constexpr Duration kHold = std::chrono::milliseconds(300);
  static constexpr double kBusy = 0.9;
  static constexpr double kIdle = 0.7;
  static constexpr double kMargin = 0.85;
  static constexpr double kStep = 1.25;
  static constexpr DataRate kLowest = DataRate::from_kbps(60);
  // Of a path that nothing is known of: the first picture, the largest, is through it in time, and
  // a fast one has all in under a second.
  static constexpr DataRate kBegin = DataRate::from_kbps(600);

  explicit ViewerRate(DataRate highest) : highest_(highest), rate_(std::min(highest, kBegin)) {}

  // `recent` spans two intervals, `whole` the meter's memory.
  void on_reading(const DeliveryMeter::Reading& recent, const DeliveryMeter::Reading& whole,
                  Timestamp now);
  // The path carries `rate`, which is suddenly less than what was sent: no reading is waited for.
  void on_slowed(DataRate rate, Timestamp now);
  DataRate rate() const { return rate_; }

 private:
  void fall_to(DataRate rate, Timestamp now);

  DataRate highest_;
  DataRate rate_;
  Timestamp hold_until_{};
};

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

  // `viewers`: the rates of those that are not paused.
  EncoderRates rates(std::span<const DataRate> viewers);

 private:
  DataRate highest_;
  bool base_only_ = false;
};

}  // namespace qvid::media
