#include "transport/control/competitor_detector.h"

#include <algorithm>

#include "transport/control/pace_math.h"

namespace paceline {
namespace {

using qvid::Duration;
using qvid::Timestamp;
using qvid::operator""ms;
using qvid::operator""s;

constexpr Duration kPatience = 2s;
constexpr int kPatienceRounds = 8;
constexpr double kExcess = 1.5;      // times the aim
constexpr double kExcessOver = 0.5;  // times the aim: over at once
constexpr double kExcessPart = 0.6;  // of the rounds
constexpr int kLevelPatience = 3;    // times: no competitor stays level for so long
// No route becomes longer by so much, or by so many times the aim: whether the queue is level is not
// waited for. With a second of it a round trip is one, and this flow starves until it knows.
constexpr Duration kNoRoute = 250ms;
constexpr double kNoRouteAims = 6;

// Of the usual queue: it counts as empty (Copa section 2.2 has a tenth).
constexpr double kEmptyPart = 0.15;
// Of the usual queue, with all of our kind away; a competitor's falls by half, too, where the trial
// meets its loss.
constexpr double kTrialPart = 0.4;
constexpr int kDoubts = 4;        // two for most of the queue, one for what is between
constexpr double kFarLonger = 3;  // times the aim: one trial will do

// Of the usual queue, after a periodic dip; where the base may be a competitor's queue, of which each
// loss takes a part.
constexpr double kFullPart = 0.6;
constexpr double kFullPartUnsure = 0.3;
constexpr Duration kJitter = 5ms;  // as the threshold allows for
constexpr double kFullFrom = 0.5;  // of the flow's threshold; shorter queues tell nothing
constexpr int kFullDips = 2;       // in a row; one flow may be out of step

constexpr double kKept = 0.6;  // of what was under way before: then the queue tells
// While CUBIC fills a short queue of a fast line, a window gives way bit by bit, as in a crowd that
// grows, whose queue is no excess: what was before it is not forgotten.
constexpr Duration kUsual = 10s;
constexpr double kUsualPart = 0.5;  // a crowd that has doubled is as usual

constexpr int kLosses = 3;
constexpr Duration kLossesApart = 1s;  // a start-up's overshoot is over by then
constexpr int kLossPeriods = 2;        // within so many dip periods
constexpr int kMostLossPeriods = 32;

}  // namespace

CompetitorDetector::Verdict CompetitorDetector::on_round(const Round& round, Timestamp now) {
  const auto& [base, queue, longest, aim, rtt, window, under_way] = round;
  const bool excess = queue > scaled(aim, kExcess);
  if (!excess && (!since_ || queue < scaled(aim, kExcessOver))) {
    forget_excess();
    window_before_ = window;
    under_way_then_ = under_way;
    const double weight = std::min(qvid::to_seconds(rtt) / qvid::to_seconds(kUsual), 1.0);
    under_way_usual_ += weight * (under_way - under_way_usual_);
    under_way_before_ = std::max(under_way, kUsualPart * under_way_usual_);
    first_ = {};
    return Verdict::kNone;
  }
  const bool no_route = queue > std::max(Duration(kNoRoute), scaled(aim, kNoRouteAims));
  const Duration patience =
      no_route ? Duration(kPatience) : std::max(Duration(kPatience), kPatienceRounds * rtt);
  if (!since_) {
    since_ = now;
    low_ = Duration::max();
    high_ = {};
    over_ = watched_ = 0;
    if (doubts_ == 0) lost_ = false;
  }
  // An own queue falls as what is under way does, from the longest before.
  if (under_way_before_ > 0) {
    const double kept = std::min(under_way_then_ / under_way_before_, 1.0);
    if (kept >= kKept || first_ == Duration::zero()) first_ = std::max(first_, longest);
    const Duration own = std::max(scaled(base + first_, kept) - base, Duration{});
    unanswered_ = kept < kKept && queue > (first_ + own) / 2;
  }
  under_way_then_ = under_way;
  ++watched_;
  over_ += excess ? 1 : 0;
  if (now < *since_ + patience / 2) return Verdict::kNone;
  low_ = std::min(low_, base + queue);
  high_ = std::max(high_, base + queue);
  if (now < *since_ + patience) return Verdict::kNone;
  // The moment the queue grew too long is the same for all flows of our kind, and so is then the
  // trial: together they can empty the queue, if nobody else is there.
  began_ = *since_;
  since_.reset();
  if (over_ < kExcessPart * watched_) return Verdict::kNone;
  if (lost_ || no_route || !flat(low_, high_)) return Verdict::kTrial;
  if (now >= began_ + kLevelPatience * patience) return Verdict::kLongerRoute;
  since_ = began_;
  return Verdict::kNone;
}

bool CompetitorDetector::on_loss(bool queued, Duration period, Timestamp now) {
  lost_ = true;
  if (!queued) return false;
  if (losses_ == 0 || now > first_loss_ + kLossPeriods * period) {
    first_loss_ = now;
    losses_ = 0;
  }
  if (losses_ > 0 && now < last_loss_ + kLossesApart) return false;
  last_loss_ = now;
  if (++losses_ < kLosses || now < next_loss_trial_) return false;
  losses_ = 0;
  loss_periods_ = std::min(std::max(2 * loss_periods_, kLossPeriods), kMostLossPeriods);
  next_loss_trial_ = now + loss_periods_ * period;
  return true;
}

bool CompetitorDetector::judge(Duration left, Duration usual, Duration aim) {
  losses_ = 0;
  if (left <= scaled(usual, kEmptyPart)) {
    doubts_ = full_dips_ = 0;
    return false;
  }
  const bool most = left > scaled(usual, kTrialPart);
  doubts_ += most ? 2 : 1;
  if (doubts_ >= kDoubts) return true;
  return most && (lost_ || dips_suspect() || far_longer(left, aim));
}

bool CompetitorDetector::far_longer(Duration left, Duration aim) {
  return left > scaled(aim, kFarLonger);
}

// Where the base is not known, jitter or a route that became longer leave as much; but jitter spreads all
// round trips, and a route leaves the same in each dip.
void CompetitorDetector::on_dip(const DipResult& dip) {
  const Duration jitter = dip.base_known ? Duration{} : std::max(dip.spread, Duration(kJitter));
  const double part = dip.base_known ? kFullPart : kFullPartUnsure;
  const bool full = dip.usual > std::max(scaled(dip.threshold, kFullFrom), jitter) &&
                    dip.left > std::max(scaled(dip.usual, part), jitter);
  const bool same = flat(std::min(dip.low, dip_low_), std::max(dip.low, dip_low_));
  if (!full) {
    full_dips_ = 0;
  } else if (dip.base_known || full_dips_ == 0 || !same) {
    ++full_dips_;
  }
  dip_low_ = dip.low;
}

bool CompetitorDetector::dips_suspect() const { return full_dips_ >= kFullDips; }

void CompetitorDetector::reset(double window) {
  forget_excess();
  window_before_ = window;
  under_way_before_ = under_way_usual_ = 0;
  doubts_ = losses_ = loss_periods_ = 0;  // what dips told is asked again by the next
  next_loss_trial_ = {};
  lost_ = false;
}

}  // namespace paceline
