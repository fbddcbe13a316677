// What PACE decides once a round trip, at a sudden queue and at a loss, and what it tells.
#include <algorithm>
#include <cmath>

#include "transport/control/controller_pace.h"
#include "transport/control/pace_math.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using qvid::to_seconds;

constexpr double kStep = 0.5;          // of what goes at once, a round
constexpr double kFreeStep = 0.125;    // of the window, a round
constexpr int kFreeRounds = 4;         // with a short queue before steps become larger
constexpr double kUnusedStep = 0.125;  // of what is not used, a round
constexpr Duration kMistake = 20s;     // that it takes to come back
constexpr int kLossless = 3;           // periods: nobody fills this queue
constexpr double kLeastCompeting = 2;  // chunks
constexpr double kThinRate = 20'000;   // bytes a second: speech and a still scene
constexpr double kThinChunks = 4;      // of these at most are under way: 0.3 s of round trip
constexpr double kKeptRate = 0.25;     // until the verdict, and at first behind it
constexpr int kDipEcho = 4;            // round trips
// A window of which at least so much is used is known to be right (RFC 7661 section 4.3). Who makes content is told
// what it carries and keeps to that, so that next to nothing ever waits for it.
constexpr double kValidated = 0.5;
constexpr double kLossQueue = 0.2;  // of the threshold; a loss with less is chance

}  // namespace

// Too early to say that the line became slow; but what is added now would wait behind what is late.
void PaceController::watch_late(Timestamp now) {
  const bool late = mode_ != Mode::kCompete && !dip_.active() && !reduction_.active() &&
                    used_.most() && outstanding_ > 0 &&
                    now - holes_.oldest_behind(arrived_, now) > base() + suspicion();
  if (!late) {
    late_.reset();
  } else if (!late_) {
    late_ = static_cast<std::int64_t>(std::max(under_way(), least_window()));
  }
}

// A line that became slow makes rounds long: the end of this one is not waited for. What was under
// way goes on to lengthen the queue; the longest round trip tells how slow the line is.
void PaceController::watch_sudden_queue(Duration rtt) {
  if (mode_ == Mode::kCompete || dip_.active()) return;
  if (settled_rounds_ > 1) {
    sudden_ = 0;
    if (rtt - base() <= surprise()) return;
    mode_ = Mode::kDelay;
    settled_rounds_ = 0;
    peaks_.on_trouble(last_);
    sudden_ = window_;
    reduction_.begin(static_cast<double>(outstanding_), acked_at_ == last_ ? last_ : qvid::kNever);
  }
  const double now_right = sudden_ * to_seconds(base() + threshold()) / to_seconds(rtt);
  if (sudden_ > 0 && now_right < window_) give_way(now_right);
}

// A flow that seldom waits for its window, and uses little of it, keeps that: without it the queue
// would be as long, and beside a competitor the flow would starve until it knows of it. So does one
// that finds that the queue is somebody else's, of what it had: a part of its rate, and no more under
// way than it had, since the line may have become as slow meanwhile.
double PaceController::least_window() const {
  double least = 0;
  // In a crowd that begins the queue is of those who have not given way yet.
  if (competitors_.unanswered() && last_ >= began_ + kSettling) {
    const double longer = to_seconds(rtt_) / to_seconds(base() + threshold());
    least = std::min(kKeptRate * longer, 1.0) * competitors_.under_way_before();
  }
  if (gated_ >= kSeldomGated || used_.rate() > kThinRate) return least;
  return std::max(least, std::clamp(kThinRate * to_seconds(std::max(rtt_, round_max_)), chunk_,
                                    kThinChunks * chunk_));
}

void PaceController::give_way(double window) { set_window(std::max(window, least_window())); }

void PaceController::steer_by_delay(Duration queue) {
  const Duration aim = threshold();
  // What is acknowledged in this round was sent before the last step down: wait for its effect.
  ++settled_rounds_;
  if (queue > aim) {
    free_rounds_ = 0;
    if (settled_rounds_ < 2 || reduction_.active()) return;
    settled_rounds_ = 0;
    give_way(window_ * to_seconds(base() + aim) / to_seconds(base() + queue));
    return;
  }
  if (!window_was_limit()) return follow_use();
  if (refilling_ > 0) {
    --refilling_;
    return;
  }
  free_rounds_ = queue < aim / 2 ? free_rounds_ + 1 : 0;
  double step = kStep * at_once();
  if (free_rounds_ > kFreeRounds) {
    // From half of the threshold's worth, doubling, to an eighth.
    const double part = 0.5 * to_seconds(aim) / to_seconds(base() + queue) *
                        std::exp2(std::min(free_rounds_ - kFreeRounds - 1, 20));
    step = std::max(step, std::min(part, kFreeStep) * window_);
  }
  set_window(window_ + step);
}

// The window of which an application uses a part is a promise that the line cannot keep where it
// becomes slower: all of it would be queued there before the first round trip tells.
void PaceController::follow_use() {
  const double aim = most_useful();
  if (aim < window_) set_window(window_ - kUnusedStep * (window_ - aim));
}

void PaceController::detect_competitors(Duration queue, Timestamp now) {
  const auto verdict = competitors_.on_round({.base = base(),
                                              .queue = queue,
                                              .longest = round_longest_ - base(),
                                              .aim = excess_aim(),
                                              .rtt = rtt_,
                                              .window = window_,
                                              .under_way = static_cast<double>(round_most_)},
                                             now);
  set_window(std::max(window_, least_window()));
  switch (verdict) {
    case CompetitorDetector::Verdict::kNone: break;
    case CompetitorDetector::Verdict::kLongerRoute:
      base_.replace(competitors_.longer_route());
      base_seen_ = now;
      break;
    case CompetitorDetector::Verdict::kTrial:
      trial_ = competitors_.began();
      start_dip(true, now);
      break;
  }
}

void PaceController::enter_compete(Timestamp now) {
  mode_ = Mode::kCompete;
  sudden_ = 0;  // it stays: the window is for the round trip with it
  // As much a second as before the competitor came, at today's round trip, until the kernel's window
  // is told. Where none is, what went on until now: all of that was the line, and its queue is full.
  const double before = (kernel_limits() ? 1 : kKeptRate) * competitors_.window_before();
  set_window(std::max(before * to_seconds(rtt_) / to_seconds(base() + threshold()),
                      kLeastCompeting * chunk_));
  // Left by mistake: go on where it was, and look later and later. A majority of our kind that dips
  // at once empties a competitor's queue, too.
  const bool mistake = left_ > Timestamp{} && now < left_ + kMistake;
  if (mistake) set_window(std::max(window_, left_window_));
  mistakes_ = mistake ? std::min(mistakes_ + 1, kMostMistakes) : 0;
  looks_ = mistake ? kMostLooks + mistakes_ : 0;
  empty_dips_ = 0;
  lost_at_ = now;
  share_ = window_ / to_seconds(rtt_);
  their_rtt_ = std::min(dip_.low(), rtt_);
  grown_ = false;
  // In a short queue slow start ends in a loss, of which Linux's cubic then does not know.
  short_queue_ = !CompetitorDetector::far_longer(their_rtt_ - route(), kind_aim());
  begin_twin(now);
  competitors_.reset(window_);
}

void PaceController::end_start_up(Duration rtt) {
  mode_ = Mode::kDelay;
  set_window(window_ * to_seconds(base() + threshold() / 2) / to_seconds(rtt));
}

void PaceController::leave_compete(Timestamp now) {
  left_ = now;
  left_window_ = window_;
  mode_ = Mode::kDelay;
  const double aim = bandwidth_ * to_seconds(base() + threshold() / 2);
  if (aim > 0) set_window(std::min(window_, aim));
  free_rounds_ = 0;
  competitors_.reset(window_);
  base_seen_ = now;
}

void PaceController::compete(Timestamp now) {
  // Who seldom has the window for a limit fills no queue, and loses next to nothing in one that
  // others fill: that tells nothing of them.
  if (gated_ >= kSeldomGated && now > lost_at_ + kLossless * period()) return leave_compete(now);
  if (kernel_limits()) return;
  if (used_.most().value_or(window_) < kValidated * window_) {
    return twin_.rest(now - round_begin_);
  }
  if (grown_) twin_.end_slow_start(chunks(), now);
  set_window(twin_.grow(chunks(), rtt_, now) * chunk_);
}

void PaceController::begin_twin(Timestamp now) {
  twin_.begin(chunks(), segment_part(), !lost_competing_, now);
}

void PaceController::on_loss(Timestamp now) {
  if (acked_ < recovery_end_ || rtt_ == Duration::zero()) return;
  recovery_end_ = acked_ + outstanding_;
  lost_at_ = now;
  peaks_.on_trouble(now);
  switch (mode_) {
    case Mode::kStartUp: end_start_up(rtt_); break;
    case Mode::kDelay:
      // A crowd of our own kind loses packets where all begin, and where all go on after a dip.
      if (now < began_ + kSettling || now < dip_ended_ + kDipEcho * rtt_) break;
      if (dip_.active()) break;
      if (competitors_.on_loss(usual_queue_ > scaled(threshold(), kLossQueue), period(), now)) {
        start_dip(true, now);
        // A base that was never seen with nothing in the way may be a competitor's queue.
        if (base_is_sure()) {
          trial_ = now;
        } else {
          first_look_ = false;
          gave_way_ = false;
        }
      }
      break;
    case Mode::kCompete:
      base_.forget_periods();
      lost_competing_ = true;
      if (kernel_limits()) break;
      // What was used of it was too much: 0.7 of a window that is far larger would change nothing.
      if (const auto used = used_.most(); used && *used < kValidated * window_ && !dip_.active()) {
        set_window(*used);
      }
      set_window(twin_.on_loss(chunks(), segment_part(), rtt_, now) * chunk_);
      if (!dip_.active()) reduction_.begin(static_cast<double>(outstanding_), qvid::kNever);
      break;
  }
}

// The window is what the path takes without a queue; which sockets carry it is all the same.
ByteCount PaceController::elsewhere(Timestamp now) const {
  const double room = any_socket() && now >= dip_.paused_until() ? this->room() : 0;
  return ByteCount(static_cast<std::int64_t>(std::max(0.0, std::min(room, pacer_.tokens(now)))));
}

Timestamp PaceController::elsewhere_at(Timestamp now) const {
  return any_socket() && room() > 0 ? pacer_.opens_at(now) : qvid::kNever;
}

// Beside a competitor: until as much again waits, which is this flow's half. Who began on a long queue
// began on a full one, in which it would only lose.
bool PaceController::wants_no_hystart() const {
  return mode_ != Mode::kCompete || (!grown_ && !short_queue_ && base() <= route());
}

ControllerSignals PaceController::signals() const {
  return {.window = ByteCount(static_cast<std::int64_t>(limit())),
          .bandwidth = qvid::DataRate::from_bps(static_cast<std::int64_t>(8 * bandwidth_)),
          .base_rtt = base(),
          .competing = mode_ == Mode::kCompete,
          .looks = dip_.active(),
          .share = qvid::DataRate::from_bps(
              mode_ == Mode::kCompete ? static_cast<std::int64_t>(8 * share_) : 0)};
}

}  // namespace paceline
