// The rate of a link as a function of time: steps, with outages cut out of them, once or repeated.
//
// Time is counted from the link's start. In an outage the rate is zero: the transmitter rests, the
// queue fills, and what was sent before still arrives.
#pragma once

#include <vector>

#include "base/units.h"

namespace qvid::lab {

struct RateStep {
  Duration at{};
  DataRate rate;
};

struct Outage {
  Duration at{};
  Duration length{};
};

class RateSchedule {
 public:
  struct Segment {
    DataRate rate;
    Duration until{};  // Duration::max() where the rate stays for good
  };

  // Steps may come in any order; before the first, the rate is `base`. With a positive `period`
  // what lies in [0, period) repeats, and what lies beyond it is never reached.
  RateSchedule(DataRate base, std::vector<RateStep> steps, std::vector<Outage> outages,
               Duration period);
  explicit RateSchedule(DataRate base) : RateSchedule(base, {}, {}, Duration::zero()) {}

  // The rate at `time` and how long it stays. Precondition: time is not negative.
  Segment at(Duration time) const;

  // What disciplines are laid out for: the steps, without the outages. A link that is out for a
  // while is no slower link, and with a rate of zero nothing could be laid out.
  DataRate capacity(Duration time) const;

  // The same rates, with one capacity throughout: a trace's steps say when a packet may leave, and
  // only their mean is a rate.
  RateSchedule with_capacity(DataRate capacity) const;

  // The same outages, with one rate throughout.
  RateSchedule with_rate(DataRate rate) const { return RateSchedule(rate, {}, outages_, period_); }

 private:
  std::vector<Outage> outages_;
  Duration period_;
  std::vector<RateStep> steps_;  // by time, from 0
  std::vector<RateStep> flat_;   // the same, and outages are steps to zero
};

}  // namespace qvid::lab
