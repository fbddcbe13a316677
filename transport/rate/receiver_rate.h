// The rate that one receiver of a stream of messages can take, from what its path shows
// (delivery_meter.h), every kInterval:
//
//   overrun   messages came late, or busy > kBusy:    rate <- min(rate, kDrain * capacity)
//   slowed    the transport says so (at any time):    rate <- min(rate, kDrain * what it says)
//   share     it says what goes through beside a competitor, for kHold no reading counts:
//                                                     rate <- kShareMargin * what it says
//   limit     it says what the other end wants at the most, and that content waits:
//                                                     rate <- kDrain * what it says
//   restored  it says that an outage is over:         rate <- the last that no reading spoke against
//   headroom  none late for kHold, and busy < kIdle:  rate <- min(kStep * rate, kMargin * capacity)
//   else      as it is; it never falls by headroom
//
// Quickly down, slowly up: an overrun shows as queues within a frame or two, while a step up that
// was too far costs frames. Between kIdle and kBusy nothing moves, so a rate that fits does not
// probe. Beside a competitor all is late and the path is always busy: who offered no more than came
// through lately would never win a share from a flow that always offers more.
//
// Who sends what it makes knows the highest that is made, and begins at kBegin. Who passes on what
// others make knows neither: the rate is not known until something was sent; where there is
// headroom, at least kStep of what is sent fits, and kHeadroom of it, or kBegin, is the most that is
// said: a picture that stands still must not keep a good path's later ones small. What
// sends less than kLeast, as sound in a silence, tells nothing: two small messages are no rate, and
// one of them late is no path that carries half.
//
// Pure. Thread: one at a time.
#pragma once

#include <optional>

#include "transport/rate/delivery_meter.h"
#include "transport/wire/message.h"

namespace paceline {

class ReceiverRate {
 public:
  using DataRate = qvid::DataRate;
  using Duration = qvid::Duration;
  using Timestamp = qvid::Timestamp;

  static constexpr Duration kInterval = std::chrono::milliseconds(100);
  static constexpr Duration kHold = std::chrono::milliseconds(300);
  static constexpr Duration kContended = std::chrono::seconds(5);
  // With .9, .7, .85 and .85 of 0.3 Mbit/s .20 were used instead of .24 (g2g, S8).
  static constexpr double kBusy = 0.95;
  static constexpr double kIdle = 0.85;
  static constexpr double kMargin = 0.92;
  static constexpr double kDrain = 0.85;        // less than it carries, so that a queue goes
  static constexpr double kShareMargin = 0.95;  // records, TLS
  static constexpr double kStep = 1.25;
  static constexpr double kHeadroom = 2.0;
  static constexpr DataRate kLowest = DataRate::from_kbps(60);
  // Of a path that nothing is known of: the first picture, the largest, is through it in time, and
  // a fast one has all in under a second.
  static constexpr DataRate kBegin = DataRate::from_kbps(600);
  static constexpr qvid::ByteCount kLeast{800};  // in a meter's memory: 16 kbit/s

  // Of what others make.
  ReceiverRate() = default;
  // `highest`: that is made.
  explicit ReceiverRate(DataRate highest) : highest_(highest), rate_(std::min(highest, kBegin)) {}

  // What `meter` shows by now. `round_trip`: of the path with empty queues.
  void on_measured(const DeliveryMeter& meter, Duration round_trip, Timestamp now) {
    on_reading(meter.read(now, 2 * kInterval, round_trip),
               meter.read(now, DeliveryMeter::kMemory, round_trip), now);
  }
  // `recent` spans two intervals, `whole` the meter's memory.
  void on_reading(const DeliveryMeter::Reading& recent, const DeliveryMeter::Reading& whole,
                  Timestamp now);
  // The transport's word: no reading is waited for. When it is that an outage is over, what the meter
  // holds is of the outage: it is to be cleared.
  void on_told(const PathRate& path, Timestamp now);
  DataRate rate() const { return rate_; }  // zero: not known
  // It has shared its path with a competitor lately: what it can take moves from moment to moment.
  bool contended(Timestamp now) const { return now < contended_until_; }

 private:
  void fall_to(DataRate rate, Timestamp now);
  void rise(const DeliveryMeter::Reading& whole);

  std::optional<DataRate> highest_;
  DataRate rate_;
  DataRate fitted_;  // the last that no reading spoke against; zero: none yet
  Timestamp hold_until_{};
  Timestamp told_until_{};  // its share
  Timestamp contended_until_{};
};

}  // namespace paceline
