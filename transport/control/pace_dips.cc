// What PACE learns from its dips: how long the path is without a queue, and whether who else is there
// gives way. When they come: pace_ticks.cc.
#include <algorithm>
#include <utility>

#include "transport/control/controller_pace.h"
#include "transport/control/pace_math.h"

namespace paceline {
namespace {

using qvid::operator""ms;

constexpr int kRefillRounds = 3;    // after a dip; what they tell of the queue is too little
constexpr double kLineDecay = 0.9;  // a dip; the line may have become slower
// A first dip of who is not sure of the base empties the queue where all who are there gave way: so
// much of it is left at most.
constexpr double kGaveWayPart = 0.3;
// No route is so long, but by satellite: what is over it is a queue, until the base is known.
constexpr Duration kLongestRoute = 400ms;
constexpr int kSameLow = 100;  // a hundredth of it
// A round trip that falls below all that were seen shows an empty queue if it falls to this part.
constexpr double kSurelyEmptyPart = 0.5;
// Those who begin together begin up to a tick apart: at the second all dip for the first or second
// time; at the third those who competed by mistake see that.
constexpr int kFirstDips = 3;
constexpr Duration kFirstApart = 500ms;  // at the least: one that came late is not told twice
constexpr int kFirstRoundsApart = 6;     // nor on a long route
// Of the usual queue: it counts as empty. A quarter of the window goes on: twelve of sixteen who dip so
// leave 15% of a queue of two base round trips.
constexpr double kCompeteEmptyPart = 0.08;
constexpr int kEmptyDips = 2;  // in a row; one may have met the other's loss

}  // namespace

Duration PaceController::route() const {
  return base_is_known() ? base() : std::min(base(), Duration(kLongestRoute));
}

bool PaceController::is_empty(Duration queue) const {
  return queue < std::max({scaled(usual_queue_, kCompeteEmptyPart), line_time(), Duration(1ms)});
}

Dip::Flow PaceController::flow() const {
  return {.window = window_,
          .chunk = at_once(),
          .least = least_window(),
          .base = base(),
          .usual_queue = usual_queue_,
          .competing = mode_ == Mode::kCompete,
          .acked = acked_,
          .outstanding = outstanding_};
}

// While an own queue drains there is nothing to look at, and a dip would stop what goes on meanwhile:
// this tick is left out. Competing, what drains behind a loss is another's, and the dip takes over.
void PaceController::dip_where_due(Timestamp now) {
  const bool first = now >= first_dip_;
  if (!first && now < due()) return;
  if (!reduction_.active() || mode_ == Mode::kCompete) return start_dip(false, now);
  last_tick_ = now;
  if (first) first_dip_ = next_first_tick(now);
}

void PaceController::start_dip(bool stops, Timestamp now) {
  periodic_dip_ = now >= due();
  if (periodic_dip_) last_tick_ = now;
  base_seen_ = now;
  if (periodic_dip_ && mode_ == Mode::kDelay && competitors_.dips_suspect()) {
    trial_ = now;
    stops = true;
  }
  const Timestamp first_due = std::exchange(first_dip_, qvid::kNever);
  const bool first = first_due != qvid::kNever;
  if (first) {
    competitors_.forget_excess();
    // One that is joined between ticks is not in company of all who begin: it tells, and does not count.
    first_look_ = now >= first_due || now >= began_ + kSettling;
    if (first_dips_ + (*first_look_ ? 1 : 0) < kFirstDips) {
      first_dip_ =
          next_first_tick(now + std::max(Duration(kFirstApart), kFirstRoundsApart * base()));
    }
  }
  reduction_.end();
  rtt_before_dip_ = rtt_;
  base_before_dip_ = base();
  const auto kind = stops || (first && !gave_way_) ? Dip::Kind::kStop
                    : first                        ? Dip::Kind::kInCompany
                                                   : Dip::Kind::kAlone;
  dip_.begin(flow(), rtt_, kind, now);
  if (dip_.goes_on()) reduction_.begin(static_cast<double>(outstanding_), qvid::kNever);
}

void PaceController::end_dip(Timestamp now) {
  reduction_.end();
  line_rate_ *= kLineDecay;
  base_.end_period();
  dip_ended_ = now;
  const auto first = std::exchange(first_look_, std::nullopt);
  if (first.value_or(false)) ++first_dips_;
  const auto trial = std::exchange(trial_, std::nullopt);
  // What was used in the dip is not what could be. Taken for it, the window stood still for a second or two
  // after each, and in the first looks, which follow one another, never grew.
  if (mode_ == Mode::kCompete) used_.forget();
  if (dip_.low() != Duration::max()) {
    // What is measured now is a chunk, and the base may be of a record: a chunk's time is no queue.
    const Duration low = dip_.low() - line_time();
    // Known, it stays so until it falls.
    if (flat(base(), std::max(low, base()))) {
      flat_dips_ = std::min(flat_dips_ + 1, kFlatDips);
    } else if (!base_is_known()) {
      flat_dips_ = 0;
    }
    // Two in a row that ended on the same are a satellite's: a competitor's queue is never twice as long.
    const Duration before = std::exchange(last_low_, dip_.low());
    const bool far_away = std::min(before, last_low_) > kLongestRoute &&
                          std::chrono::abs(last_low_ - before) < last_low_ / kSameLow;
    const Duration left = far_away ? Duration{} : std::max(low - route(), Duration{});
    const bool far = CompetitorDetector::far_longer(left, kind_aim());
    // What is lower than ever before may be empty, or not yet.
    const bool known =
        flat(base(), base_before_dip_) || dip_.low() < scaled(rtt_before_dip_, kSurelyEmptyPart);
    // Behind so long a queue each costs a round and a half, in which who fills it takes what we leave.
    if (first && far && first_dips_ >= kFirstDips - 1) first_dip_ = qvid::kNever;
    if (mode_ == Mode::kCompete) {
      ++looks_;
      empty_dips_ = known && is_empty(left) ? empty_dips_ + 1 : 0;
      if (empty_dips_ >= (first ? 1 : kEmptyDips)) {
        gave_way_ |= first.has_value();  // a third that is still due is no verdict
        leave_compete(now);
      }
    } else if (trial) {
      // Of our own kind all have dipped by now: what still waits is a competitor's.
      if (competitors_.judge(left, usual_queue_, kind_aim())) {
        enter_compete(now);
        base_seen_ = *trial;
      }
    } else if (first) {
      gave_way_ |= known && left < scaled(rtt_before_dip_ - route(), kGaveWayPart);
      // So long a queue tells at once; if all who made it began just now, the next one shows that.
      const bool last = first_dip_ == qvid::kNever || first_dips_ >= kFirstDips - 1;
      if (!gave_way_ && (last || far)) enter_compete(now);
    } else if (periodic_dip_) {
      competitors_.on_dip({.low = dip_.low(),
                           .left = left,
                           .usual = usual_queue_,
                           .spread = usual_spread_,
                           .threshold = threshold(),
                           .base_known = base_is_known()});
      // What it takes for the base is a part of a competitor's queue, and what is over that may be
      // little more than its own: a trial, which takes away its own, would find nothing left.
      // Who seldom waits for its window tells of jitter.
      if (competitors_.dips_suspect() && !base_is_known() && gated_ >= kSeldomGated)
        enter_compete(now);
    }
  }
  refilling_ = kRefillRounds;
  end_round(now);
}

}  // namespace paceline
