// When PACE dips: at ticks of the wall's clock, so that all of its kind who share a line dip at the
// same moment, on whatever host they are and whenever they began. Then a queue that stays is a
// competitor's, and one that is gone tells all of them the base.
//
// A clock that is wrong by much more than a dip is long makes its flow dip alone: it finds the
// others' queue, and competes with them, as plain TCP would.
#include <algorithm>

#include "transport/control/controller_pace.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

constexpr Duration kDipPeriod = 5s;      // BBRv3's; two looks within the 10 s a late comer may take
constexpr Duration kFirstTick = 1250ms;  // of the wall's clock: those who begin together
constexpr int kDipPeriodRounds = 40;     // a dip costs about a base rtt: at most 1/40 of the rate
constexpr int kUnsurePeriodRounds = 10;  // what was taken for the base may be a competitor's queue
constexpr int kFreePeriods = 8;
constexpr int kCompetePeriodRounds = 25;  // a dip costs about a full round trip
constexpr int kMostPeriods = 32;

// The first whole multiple of the period, from `when` on.
Timestamp tick_from(Timestamp when, Duration period, Duration wall_clock) {
  const Duration over = (when.time_since_epoch() + wall_clock) % period;
  return over > Duration::zero() ? when + (period - over) : when;
}

}  // namespace

// Doubled as often as needed: flows with other round trips stay on one grid.
Duration PaceController::period() const {
  const bool competing = mode_ == Mode::kCompete;
  const Duration least = competing        ? kCompetePeriodRounds * rtt_
                         : base_is_sure() ? kDipPeriodRounds * base()
                                          : kUnsurePeriodRounds * base();
  Duration period = kDipPeriod;
  // Who makes no queue has none to empty.
  if (!competing && gated_ < kSeldomGated) period *= kFreePeriods;
  // What fills the queue may be a crowd that began together, or that took each other for
  // competitors: it is looked for again soon, and then later and later.
  if (competing) {
    const int looks = std::min(looks_, kMostLooks + mistakes_);
    period = empty_dips_ > 0 ? period / 4 : period / 16 * (1 << looks);
  }
  while (period < least && period < kMostPeriods * Duration(kDipPeriod)) period *= 2;
  return period;
}

// Of the next periodic dip. A base that is known, and was seen since without one, needs none: a video
// that leaves the line idle between two pictures would wait for nothing. Competing, one that was
// joined, and the trial, are as good as one at a tick: a second right behind it tells nothing new.
Timestamp PaceController::due() const {
  const Timestamp since = mode_ == Mode::kCompete ? std::max(dip_ended_, last_tick_)
                          : base_is_known()       ? std::max(clear_at_, last_tick_)
                                                  : last_tick_;
  const Duration period = this->period();
  return tick_from(since + period / 2, period, wall_clock_);
}

Timestamp PaceController::next_first_tick(Timestamp from) const {
  return tick_from(from, kFirstTick, wall_clock_);
}

}  // namespace paceline
