#include "transport/controller_pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using qvid::to_seconds;

// Threshold: measured on the thesis's dumbbell for 8 to 32 flows (docs/paceline.md).
constexpr Duration kThresholdFloor = 5ms;
constexpr Duration kThresholdScale = 30ms;
constexpr Duration kMostThreshold = 50ms;  // a chunk at 0.28 Mbit/s
constexpr Duration kSurprise = 80ms;       // of queue: not to be waited out
constexpr double kPaceGain = 1.25;         // over w/rtt, so that the window is the limit
constexpr double kRoundedChunks = 3;
constexpr double kStartUpGain = 2;      // slow start doubles in a round
constexpr double kInitialChunks = 4;    // no more, before the path is known (RFC 3390)
constexpr double kLeastChunks = 0.25;   // under one chunk, pacing alone is the limit
constexpr double kMostBytes = 256e6;    // 2 Gbit/s over a second
constexpr double kStep = 0.5;           // chunks a round
constexpr double kFreeStep = 0.125;     // of the window, a round
constexpr int kFreeRounds = 4;          // with a short queue before steps become larger
constexpr Duration kQuantumTime = 2ms;  // of what timers and schedulers of hosts are good for
constexpr double kQuantumChunks = 2;
constexpr double kLeastRate = 7000;   // bytes a second: a chunk in 200 ms, the gate never stalls
constexpr double kRttWeight = 0.125;  // of a new sample, RFC 6298

constexpr Duration kDipPeriod = 5s;  // BBRv3's; two looks within the 10 s a late comer may take
// Flows that begin together have each other's first windows in their idea of the base.
constexpr Duration kFirstDip = 600ms;
constexpr double kLineDecay = 0.9;      // a dip; the line may have become slower
constexpr Duration kGrid = 500ms;       // a dip can be late by a round or two
constexpr Duration kHold = 80ms;        // at least; flows of one grid are a round apart
constexpr Duration kFirstHold = 200ms;  // BBR's; they did not begin in the same round
constexpr int kFirstDipRounds = 8;
constexpr int kDipPeriodRounds = 40;      // a dip costs about a base rtt: at most 1/40 of the rate
constexpr int kCompetePeriodRounds = 25;  // a dip costs about a full round trip
constexpr double kDipDepth = 0.5;         // of the flow's part of the path without a queue
constexpr double kNearBase = 0.1;         // of the threshold: the queue counts as empty

constexpr Duration kExcessTime = 2000ms;
constexpr int kExcessRounds = 8;
constexpr double kExcess = 1.5;      // times the threshold
constexpr double kExcessOver = 0.5;  // times the threshold: over at once
constexpr double kExcessPart = 0.6;  // of the rounds
// A window that gave way has a high threshold; competitors are told by the threshold of a crowd.
constexpr double kExcessChunks = 2;
constexpr Duration kFlat = 2ms;  // rtts that differ by less: a longer route, no competitor
constexpr double kFlatPart = 0.03;

constexpr double kBeta = 0.7;                                // RFC 9438
constexpr double kC = 0.4;                                   // chunks/s³, RFC 9438
constexpr double kFriendly = 3 * (1 - kBeta) / (1 + kBeta);  // Reno's rate of growth at that beta
constexpr double kCompeteDepth = 0.25;  // deeper: those that gave way hold a chunk each
constexpr int kEmptyDips = 2;           // in a row; one may have met the other's loss
constexpr int kLossless = 3;            // periods: nobody fills this queue
constexpr double kEmptyPart = 0.15;     // of the usual queue: empty (Copa section 2.2 has a tenth)
// Of the usual queue: others are dipping, or have lost. Competing, any dent will do.
constexpr double kFallPart = 0.6;
constexpr double kFallPartCompeting = 0.75;
constexpr Duration kFell = 2ms;  // the base, by more than jitter
constexpr double kFellPart = 0.05;
constexpr double kTrialPart = 0.65;   // of the usual queue, with all of our kind away
constexpr double kCompanyHold = 2.5;  // round trips
constexpr Duration kFallFrom = 5ms;   // shorter queues fall by chance
constexpr double kUsualWeight = 1.0 / 16;
constexpr double kHole = 0.7;  // of a round trip, written over, acknowledged at once
constexpr double kHoleChunks = 3;
constexpr int kMarksARound = 24;

Duration scaled(Duration d, double by) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(d.count()) * by));
}

bool flat(Duration low, Duration high) {
  return high - low <= std::max(Duration(kFlat), scaled(low, kFlatPart));
}

}  // namespace

PaceController::PaceController(const ControllerOptions& options)
    : chunk_(static_cast<double>(std::max(options.mss.value(), std::int64_t{1}))),
      window_(kInitialChunks * chunk_) {}

Duration PaceController::crowd_threshold(double chunks) {
  return kThresholdFloor + scaled(kThresholdScale, 1 / std::sqrt(chunks));
}

// On a slow line a chunk alone takes longer than that: then it is a chunk's time.
Duration PaceController::threshold() const {
  const Duration crowd = crowd_threshold(chunks());
  if (bandwidth_ <= 0) return crowd;
  const Duration chunk_time = qvid::from_seconds(std::min(chunk_ / bandwidth_, 1.0));
  return std::max(crowd, std::min(kThresholdFloor + chunk_time, Duration(kMostThreshold)));
}

Duration PaceController::line_time() const {
  return line_rate_ > 0 ? qvid::from_seconds(std::min(chunk_ / line_rate_, 0.5)) : Duration{};
}

double PaceController::limit() const {
  return dip_ == Dip::kNone ? window_ : std::min(window_, dip_level_);
}

// A chunk goes where at least half of it fits, so that windows of few chunks are rounded to
// nearest.
double PaceController::room() const {
  if (outstanding_ == 0) return std::max(limit(), chunk_);
  return limit() - chunk_ / 2 - static_cast<double>(outstanding_);
}

Duration PaceController::period() const {
  return mode_ == Mode::kCompete ? std::max(Duration(kDipPeriod), kCompetePeriodRounds * rtt_)
                                 : std::max(Duration(kDipPeriod), kDipPeriodRounds * base_);
}

ByteCount PaceController::allowance(Timestamp now) const {
  const double room = this->room();
  if (now < dip_pause_) return {};
  if (room <= 0) return ByteCount(static_cast<std::int64_t>(room));
  // The kernel's window is the limit; the next acknowledgement opens the gate.
  if (unsent_ > pacer_.quantum() && outstanding_ > 0) return {};
  return ByteCount(static_cast<std::int64_t>(std::ceil(std::min(room, pacer_.tokens(now)))));
}

Timestamp PaceController::opens_at(Timestamp now) const {
  if (room() <= 0 || (unsent_ > pacer_.quantum() && outstanding_ > 0)) return qvid::kNever;
  return std::max(pacer_.opens_at(now), dip_pause_);
}

void PaceController::on_written(ByteCount bytes, Timestamp now) {
  now = advance(now);
  written_ += bytes.value();
  outstanding_ += bytes.value();
  round_most_ = std::max(round_most_, outstanding_);
  pacer_.on_written(static_cast<double>(bytes.value()), now);
  holes_.on_written(written_, now, rtt_ / kMarksARound);
  if (dip_ == Dip::kHold && dip_level_ < chunk_) dip_pause_ = dip_least_end_;
}

void PaceController::on_socket(const SocketSample& sample, Timestamp) {
  unsent_ = static_cast<double>(sample.unsent.value());
}

void PaceController::on_acked(const AckSample& ack, Timestamp now) {
  now = advance(now);
  outstanding_ = std::clamp(ack.unacked.value(), std::int64_t{0}, written_);
  // Not a sum of what is acknowledged: a failover writes twice.
  acked_ = written_ - outstanding_;
  unsent_ = 0;
  const double since = to_seconds(now - acked_at_);
  if (since > 0) {
    line_rate_ = std::max(line_rate_, static_cast<double>(ack.acked.value()) / since);
  }
  acked_at_ = now;
  round_gated_ |= ack.gate_limited;
  if (ack.rtt > Duration::zero()) {
    const Duration span = holes_.on_acked(acked_, now - ack.rtt);
    sample(ack.rtt, now);
    if (span > scaled(rtt_, kHole) &&
        static_cast<double>(ack.acked.value()) >= kHoleChunks * chunk_) {
      on_loss(now);
    }
  }
  if (mode_ == Mode::kStartUp && ack.gate_limited) {
    set_window(window_ + static_cast<double>(ack.acked.value()));
  }
  step_dip(now);
  if (acked_ >= round_end_) end_round(now);
  update_pacer(now);
}

void PaceController::sample(Duration rtt, Timestamp now) {
  if (rtt_ == Duration::zero()) {
    rtt_ = base_ = rtt;
    base_seen_ = now;
    first_dip_ = now + std::max(Duration(kFirstDip), kFirstDipRounds * rtt);
  }
  rtt_ += scaled(rtt - rtt_, kRttWeight);
  round_min_ = std::min(round_min_, rtt);
  period_min_ = std::min(period_min_, rtt);
  // A base that falls was wrong: others are dipping just now, and with them is the whole truth.
  const bool base_fell = base_ - rtt > std::max(Duration(kFell), scaled(base_, kFellPart));
  base_ = std::min(base_, rtt);
  if (rtt <= base_ + scaled(threshold(), kNearBase)) base_seen_ = now;
  // A line that became slow makes rounds long: do not wait for the end of this one.
  if (mode_ == Mode::kDelay && settled_rounds_ > 1 && dip_ == Dip::kNone &&
      rtt - base_ > kSurprise) {
    settled_rounds_ = 0;
    set_window(window_ * to_seconds(base_ + threshold()) / to_seconds(rtt));
  }
  // All see the queue fall at the same moment: who joins in dips together from then on.
  const double part = mode_ == Mode::kCompete ? kFallPartCompeting : kFallPart;
  const bool queue_fell = rtt - base_ < scaled(usual_queue_, part) && usual_queue_ > kFallFrom &&
                          now >= base_seen_ + period() / 2;
  if (dip_ == Dip::kNone && mode_ != Mode::kStartUp && (base_fell || queue_fell)) {
    if (base_fell) stop(now);
    start_dip(now);
  }
}

void PaceController::set_window(double bytes) {
  window_ = std::clamp(bytes, kLeastChunks * chunk_, kMostBytes);
}

bool PaceController::is_empty(Duration queue) const {
  return queue < std::max({scaled(usual_queue_, kEmptyPart), 2 * line_time(), Duration(1ms)});
}

bool PaceController::window_was_limit() const {
  return round_gated_ && static_cast<double>(round_most_) + 2 * chunk_ >= 0.75 * window_;
}

void PaceController::end_round(Timestamp now) {
  const Duration queue = round_min_ == Duration::max() ? Duration{} : round_min_ - base_;
  const bool sampled = round_min_ != Duration::max();
  const double seconds = to_seconds(now - round_begin_);
  if (seconds > 0 && round_gated_) {
    const double rate = static_cast<double>(acked_ - round_acked_from_) / seconds;
    bandwidth_ += (bandwidth_ > 0 ? 0.25 : 1.0) * (rate - bandwidth_);
  }
  if (sampled && dip_ == Dip::kNone) {
    usual_queue_ += scaled(queue - usual_queue_, kUsualWeight);
    switch (mode_) {
      case Mode::kStartUp:
        if (queue > threshold() / 2) {
          mode_ = Mode::kDelay;
          set_window(window_ * to_seconds(base_ + threshold() / 2) / to_seconds(round_min_));
        }
        break;
      case Mode::kDelay:
        steer_by_delay(queue);
        watch_excess(queue, now);
        break;
      case Mode::kCompete: compete(now); break;
    }
    if (mode_ != Mode::kStartUp && (now >= base_seen_ + period() || now >= first_dip_)) {
      start_dip(now);
    }
  }
  round_begin_ = now;
  round_end_ = acked_ + outstanding_;
  round_acked_from_ = acked_;
  round_min_ = Duration::max();
  round_most_ = outstanding_;
  round_gated_ = false;
}

void PaceController::steer_by_delay(Duration queue) {
  const Duration aim = threshold();
  // What is acknowledged in this round was sent before the last step down: wait for its effect.
  ++settled_rounds_;
  if (queue > aim) {
    free_rounds_ = 0;
    if (settled_rounds_ < 2) return;
    settled_rounds_ = 0;
    set_window(window_ * to_seconds(base_ + aim) / to_seconds(base_ + queue));
    return;
  }
  if (!window_was_limit()) return;
  free_rounds_ = queue < aim / 2 ? free_rounds_ + 1 : 0;
  double step = kStep * chunk_;
  if (free_rounds_ > kFreeRounds) {
    // From half of the threshold's worth, doubling, to an eighth.
    const double part = 0.5 * to_seconds(aim) / to_seconds(base_ + queue) *
                        std::exp2(std::min(free_rounds_ - kFreeRounds - 1, 20));
    step = std::max(step, std::min(part, kFreeStep) * window_);
  }
  set_window(window_ + step);
}

void PaceController::watch_excess(Duration queue, Timestamp now) {
  const Duration rtt = base_ + queue;
  const Duration aim = crowd_threshold(std::max(chunks(), kExcessChunks)) + line_time();
  const bool excess = queue > scaled(aim, kExcess);
  if (!excess && (!excess_since_ || queue < scaled(aim, kExcessOver))) {
    excess_since_.reset();
    excess_window_ = window_;
    return;
  }
  const Duration patience = std::max(Duration(kExcessTime), kExcessRounds * rtt_);
  if (!excess_since_) {
    excess_since_ = now;
    excess_low_ = Duration::max();
    excess_high_ = {};
    excess_rounds_ = watched_rounds_ = 0;
    excess_lost_ = false;
  }
  ++watched_rounds_;
  excess_rounds_ += excess ? 1 : 0;
  if (now < *excess_since_ + patience / 2) return;
  excess_low_ = std::min(excess_low_, rtt);
  excess_high_ = std::max(excess_high_, rtt);
  if (now < *excess_since_ + patience) return;
  // The moment the queue grew too long is the same for all flows of our kind, and so is then the
  // next dip: together they can empty the queue, if nobody else is there.
  const Timestamp begin = *excess_since_;
  excess_since_.reset();
  if (excess_rounds_ < kExcessPart * watched_rounds_) return;
  const bool level = !excess_lost_ && flat(excess_low_, excess_high_);
  if (level && now < begin + 3 * patience) {
    excess_since_ = begin;  // no competitor stays level for long
  } else if (level) {
    base_ = excess_low_;
    base_seen_ = now;
    lows_ = {};
  } else {
    trial_ = begin;
    stop(now);
    start_dip(now);
  }
}

// This dip lets the path run empty, and waits for those who begin a little later.
void PaceController::stop(Timestamp now) {
  dip_stops_ = true;
  dip_least_end_ = now + std::max(Duration(kFirstHold), 3 * rtt_ / 2);
}

void PaceController::enter_compete(Timestamp now) {
  mode_ = Mode::kCompete;
  // As much a second as before the competitor came, at today's round trip.
  set_window(
      std::max(excess_window_ * to_seconds(rtt_) / to_seconds(base_ + threshold()), 2 * chunk_));
  // Left by mistake: go on where it was.
  if (now < left_ + 2 * period()) set_window(std::max(window_, left_window_));
  empty_dips_ = 0;
  lost_at_ = now;
  origin_ = chunks();
  friendly_ = chunks();
  k_ = 0;
  epoch_ = now;
}

void PaceController::leave_compete(Timestamp now) {
  left_ = now;
  left_window_ = window_;
  mode_ = Mode::kDelay;
  const double aim = bandwidth_ * to_seconds(base_ + threshold() / 2);
  if (aim > 0) set_window(std::min(window_, aim));
  free_rounds_ = 0;
  excess_since_.reset();
  excess_window_ = window_;
  base_seen_ = now;
}

void PaceController::compete(Timestamp now) {
  if (now > lost_at_ + kLossless * period()) return leave_compete(now);
  if (!window_was_limit()) return;
  friendly_ += kFriendly;
  const double t = to_seconds(now - epoch_) + to_seconds(rtt_) - k_;
  const double cubic = origin_ + kC * t * t * t;
  set_window(std::min(std::max({window_, cubic * chunk_, friendly_ * chunk_}), 1.5 * window_));
}

void PaceController::on_loss(Timestamp now) {
  if (acked_ < recovery_end_) return;
  recovery_end_ = acked_ + outstanding_;
  excess_lost_ = true;
  lost_at_ = now;
  if (mode_ == Mode::kStartUp) {
    mode_ = Mode::kDelay;
    set_window(window_ / 2);
  } else if (mode_ == Mode::kCompete) {
    lows_ = {};  // looks at a queue that others fill
    origin_ = chunks() < origin_ ? chunks() * (1 + kBeta) / 2 : chunks();
    set_window(std::max(window_ * kBeta, 2 * chunk_));
    friendly_ = chunks();
    k_ = std::cbrt(std::max(0.0, origin_ - chunks()) / kC);
    epoch_ = now;
  }
}

void PaceController::start_dip(Timestamp now) {
  // On the grid of the flows that dip together, unless it joins others now.
  const Timestamp due = base_seen_ + period();
  base_seen_ = now >= due && now < due + kGrid ? due : now;
  if (first_dip_ != qvid::kNever) {
    stop(now);
    excess_since_.reset();
  }
  first_dip_ = qvid::kNever;
  dip_ = Dip::kDrain;
  dip_min_ = Duration::max();
  dip_begin_ = now;
  dip_rtt_ = rtt_;
  set_dip_level();
}

// Of the flow's part of the path without a queue, as far as that is known by now.
void PaceController::set_dip_level() {
  const double depth = dip_stops_ ? 0 : mode_ == Mode::kCompete ? kCompeteDepth : kDipDepth;
  dip_level_ = std::max(depth * window_ * to_seconds(base_) / to_seconds(std::max(dip_rtt_, base_)),
                        kLeastChunks * chunk_);
}

void PaceController::step_dip(Timestamp now) {
  if (dip_ == Dip::kNone) return;
  set_dip_level();
  if (dip_ == Dip::kDrain) {
    if (static_cast<double>(outstanding_) > dip_level_) return;
    dip_ = Dip::kHold;
    dip_least_end_ = std::max(dip_least_end_, now + kHold);
    // Less than a chunk in flight is one chunk, late and not when all others send theirs.
    if (dip_level_ < chunk_) {
      const Duration least = std::max(base_, Duration(kHold));
      const Duration spare = std::max(dip_least_end_ - now - least, Duration{});
      dip_pause_ = now + least + scaled(spare, dice());
    }
    dip_min_ = Duration::max();
    dip_end_ = acked_ + outstanding_ +
               static_cast<std::int64_t>(mode_ == Mode::kCompete ? dip_level_ : chunk_);
    return;
  }
  dip_min_ = std::min(dip_min_, round_min_);
  // More than this flow's own part has gone: others dip, too. Wait for the last of them.
  if (mode_ == Mode::kCompete && dip_min_ < base_ + usual_queue_ / 2) {
    dip_least_end_ = std::max(dip_least_end_, dip_begin_ + scaled(dip_rtt_, kCompanyHold));
  }
  if (acked_ < dip_end_ || now < dip_least_end_) return;
  dip_ = Dip::kNone;
  dip_stops_ = false;
  learn_base();
  if (const auto trial = std::exchange(trial_, std::nullopt); trial && mode_ == Mode::kDelay) {
    // Of our own kind all have dipped by now: what still waits is of strangers.
    if (dip_min_ - base_ > scaled(usual_queue_, kTrialPart)) {
      enter_compete(now);
      base_seen_ = *trial;
    }
  } else if (mode_ == Mode::kCompete) {
    empty_dips_ = is_empty(dip_min_ - base_) ? empty_dips_ + 1 : 0;
    if (empty_dips_ >= kEmptyDips) leave_compete(now);
  }
  end_round(now);
}

// Between dips others may have dipped: what counts is the smallest of all that was seen since the
// last one. Only when that stays the same, and above the base, has the route become longer.
void PaceController::learn_base() {
  line_rate_ *= kLineDecay;
  if (period_min_ == Duration::max()) return;
  std::rotate(lows_.begin(), lows_.begin() + 1, lows_.end());
  lows_.back() = std::exchange(period_min_, Duration::max());
  const auto [low, high] = std::minmax_element(lows_.begin(), lows_.end());
  if (*low > base_ && flat(*low, *high)) base_ = *low;
}

void PaceController::on_new_socket(Timestamp now) {
  now = advance(now);
  outstanding_ = 0;
  acked_ = written_;
  unsent_ = 0;
  holes_.clear();
  dip_ = Dip::kNone;
  dip_stops_ = false;
  dip_pause_ = {};
  trial_.reset();
  excess_since_.reset();
  round_end_ = acked_;
  round_min_ = Duration::max();
  round_gated_ = false;
  // The kernel is in slow start: no more than its first window at once, and quickly up again.
  set_window(std::min(window_, kInitialChunks * chunk_));
  if (mode_ == Mode::kDelay) mode_ = Mode::kStartUp;
  update_pacer(now);
}

// 0..1: what no two flows have in common is the nanosecond of their last event (splitmix64).
double PaceController::dice() const {
  auto x = static_cast<std::uint64_t>(last_.time_since_epoch().count()) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

void PaceController::update_pacer(Timestamp now) {
  if (rtt_ <= Duration::zero()) return;
  // A window of few chunks is rounded up to whole ones; then the pace alone has to be right.
  const double gain = mode_ == Mode::kStartUp
                          ? kStartUpGain
                          : std::clamp(chunks() / kRoundedChunks, 1.0, kPaceGain);
  const double rate = std::max(gain * window_ / to_seconds(rtt_), kLeastRate);
  pacer_.set(rate, std::max(kQuantumChunks * chunk_, rate * to_seconds(kQuantumTime)), now);
}

ControllerSignals PaceController::signals() const {
  return {.window = ByteCount(static_cast<std::int64_t>(limit())),
          .bandwidth = qvid::DataRate::from_bps(static_cast<std::int64_t>(8 * bandwidth_)),
          .base_rtt = base_,
          .competing = mode_ == Mode::kCompete};
}

}  // namespace paceline
