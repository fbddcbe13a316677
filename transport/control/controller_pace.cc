#include "transport/control/controller_pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "transport/control/pace_math.h"

namespace paceline {
namespace {

using qvid::operator""ms;
using qvid::operator""s;
using qvid::to_seconds;

constexpr double kPaceGain = 1.25;  // over w/rtt, so that the window is the limit
constexpr double kRoundedChunks = 3;
constexpr double kGrew = 1.5;         // in a round of start-up
constexpr double kStartUpGain = 2;    // slow start doubles in a round
constexpr double kKernelGain = 2;     // acknowledgements pace; this spreads what follows a dip
constexpr double kWindowParts = 6;    // goes at once, of a window: the acknowledgements clock it
constexpr double kInitialChunks = 4;  // no more, before the path is known (RFC 3390)
constexpr double kAfterOutage = 0.5;  // of what filled the path before
constexpr double kUnusedChunks = 2;
constexpr double kLeastChunks = 0.25;   // under one chunk, pacing alone is the limit
constexpr double kMostBytes = 256e6;    // 2 Gbit/s over a second
constexpr Duration kQuantumTime = 2ms;  // of what timers and schedulers of hosts are good for
constexpr double kQuantumChunks = 2;
constexpr Duration kLeastSpacing = 1ms;  // of acknowledgements that tell of the line
// A P-ACK follows the acknowledgement of the peer's kernel at once; one so much later was lost on
// its way, and repaired.
constexpr Duration kConfirmed = 5ms;
constexpr double kLeastRate = 7000;   // bytes a second: a chunk in 200 ms, the gate never stalls
constexpr double kRepairChunks = 4;   // below, TCP repairs by time-outs: less goes through
constexpr double kRttWeight = 0.125;  // of a new sample, RFC 6298
constexpr double kFilledWeight = 1.0 / 64;  // of what is written at once

constexpr int kFirstDipRounds = 2;  // before the first dip
constexpr double kNearBase = 0.1;   // of the threshold: the queue counts as empty

// Of the usual queue: others are dipping. Competing, a loss of the other's makes a dent, too.
constexpr double kFallPart = 0.6;
constexpr double kFallPartCompeting = 0.5;
constexpr int kLossEcho = 2;         // round trips for which the own loss shortens the queue
constexpr Duration kFallFrom = 5ms;  // shorter queues fall by chance
constexpr double kUsualWeight = 1.0 / 16;
constexpr double kHole = 0.7;  // of a round trip, written over, acknowledged at once
constexpr double kHoleChunks = 3;
constexpr int kMarksARound = 24;

}  // namespace

PaceController::PaceController(const ControllerOptions& options)
    : wall_clock_(options.wall_clock),
      chunk_(static_cast<double>(std::max(options.mss.value(), std::int64_t{1}))),
      window_(kInitialChunks * chunk_) {}

// Bytes. Of a crowd whose windows are of few chunks, a chunk of each is a queue that looks like a
// competitor's, and more than a short one takes. A competitor's window counts segments: they are full; and who
// seldom waits for the window is in nobody's way.
double PaceController::at_once() const {
  if (mode_ != Mode::kDelay || gated_ < kSeldomGated) return chunk_;
  return std::clamp(window_ / kWindowParts, smallest(), chunk_);
}

double PaceController::limit() const {
  if (dip_.active()) return std::min(window_, dip_.level());
  return late_ ? std::min(window_, static_cast<double>(*late_)) : window_;
}

// Bytes. P-ACKs may be lost, too, and what waits for their repair has left the path; but no more
// than a window of that, since a peer that reads nothing acknowledges nothing.
double PaceController::under_way() const {
  const auto outstanding = static_cast<double>(outstanding_);
  if (!sampled_ || (mode_ == Mode::kCompete && !carries_)) return outstanding;
  return std::min(outstanding, std::max(static_cast<double>(socket_.under_way().value()),
                                        outstanding - window_));
}

// A chunk goes where at least half of it fits, so that windows of few chunks are rounded to
// nearest, or where half of a smaller window is free, since small records, samples of the round
// trip, are nearly always under way; and of the kernel's window so that it is full.
double PaceController::room() const {
  if (outstanding_ == 0) return std::max(limit(), at_once());
  if (kernel_limits() && !dip_.active()) {
    const double segments = static_cast<double>(socket_.sacked) - 0.5;
    return window_ + segments * static_cast<double>(socket_.mss.value()) -
           static_cast<double>(socket_.unacked.value());
  }
  const double free = limit() - under_way();
  return (reduction_.active() ? std::max(free, reduction_.room(limit())) : free) -
         std::min(at_once(), limit()) / 2;
}

// The kernel's window is the limit; the next acknowledgement opens the gate.
bool PaceController::backlog_waits() const {
  return unsent_ > std::max(pacer_.quantum(), kQuantumChunks * at_once()) && outstanding_ > 0 &&
         !kernel_limits();
}

ByteCount PaceController::allowance(Timestamp now) const {
  const double room = this->room();
  if (now < dip_.paused_until()) return {};
  if (room <= 0) return ByteCount(static_cast<std::int64_t>(room));
  if (backlog_waits()) return {};
  return ByteCount(static_cast<std::int64_t>(std::ceil(std::min(room, pacer_.tokens(now)))));
}

Timestamp PaceController::opens_at(Timestamp now) const {
  if (room() <= 0 || backlog_waits()) return qvid::kNever;
  return std::max(pacer_.opens_at(now), dip_.paused_until());
}

void PaceController::on_written(ByteCount bytes, Timestamp now) {
  now = advance(now);
  written_ += bytes.value();
  outstanding_ += bytes.value();
  socket_.unacked += bytes;
  filled_ +=
      kFilledWeight * (std::min(static_cast<double>(bytes.value()) / at_once(), 1.0) - filled_);
  round_most_ = std::max(round_most_, outstanding_);
  used_.on_outstanding(static_cast<double>(outstanding_), static_cast<double>(bytes.value()), now);
  reduction_.on_written(static_cast<double>(bytes.value()));
  pacer_.on_written(static_cast<double>(bytes.value()), now);
  holes_.on_written(written_, now, rtt_ / kMarksARound);
  dip_.on_written(at_once());
}

void PaceController::on_socket(const SocketSample& sample, Timestamp now) {
  socket_ = sample;
  const bool limited = kernel_limits();
  sampled_ = sample.cwnd > 0 && sample.mss > ByteCount();
  carries_ = sample.carries;
  if (limited && !kernel_limits()) begin_twin(now);
  unsent_ = static_cast<double>(sample.unsent.value());
  now = advance(now);
  arrived_ = std::max(arrived_, written_ - sample.unacked.value());
  // Of a socket without content they tell of no repair of it.
  if (sample.sacked > 0 && (carries_ || mode_ != Mode::kCompete)) held_to_ = written_;
  if (now >= confirmed_at_ + 2 * kConfirmed || acked_ >= confirmed_) {
    confirmed_ = arrived_;
    confirmed_at_ = now;
  }
  if (kernel_limits()) {
    // While a first dip is due that may show a mistake, slow start waits.
    const bool waits = first_dip_ != qvid::kNever && !sample.slow_start_over && wants_no_hystart();
    set_window(waits ? std::min(told_window(sample), window_) : told_window(sample));
  }
  // A round trip that is not over is as long as that at least; but one that waits for a repair.
  if (rtt_ > Duration::zero() && arrived_ >= std::max(held_to_, outage_to_)) {
    watch_sudden_queue(last_ - holes_.oldest_behind(arrived_, last_));
    watch_late(last_);
  }
}

void PaceController::on_outstanding(ByteCount bytes, Timestamp now) {
  advance(now);
  outstanding_ = std::clamp(bytes.value(), std::int64_t{0}, written_);
  // Not a sum of what is acknowledged: a failover writes twice.
  acked_ = written_ - outstanding_;
}

void PaceController::on_acked(const AckSample& ack, Timestamp now) {
  on_outstanding(ack.unacked, now);
  now = last_;
  unsent_ = 0;
  if (reduction_.on_acked(static_cast<double>(ack.acked.value()), now)) settled_rounds_ = 0;
  acked_at_ = now;
  watch_line(static_cast<double>(ack.acked.value()), now);
  round_gated_ |= ack.gate_limited;
  if (!ack.gate_limited) peaks_.on_free(now);
  const Duration span = holes_.on_acked(acked_, now - ack.rtt);
  const bool late_word =
      acked_ <= confirmed_ && now >= confirmed_at_ + kConfirmed && ack.rtt > rtt_;
  if (outage_to_ == kUnknown && ack.acked > ByteCount()) outage_to_ = written_;
  const bool behind_outage = acked_ <= outage_to_;
  if (ack.rtt > Duration::zero() && !late_word && !behind_outage) {
    // What a repair held back tells of a loss; of the queue, only what it was at the most.
    const bool held =
        acked_ <= held_to_ || (span > scaled(rtt_, kHole) &&
                               static_cast<double>(ack.acked.value()) >= kHoleChunks * chunk_);
    bound_queue(ack.rtt);
    if (!held || rtt_ == Duration::zero()) sample(ack.rtt, now);
    if (held) on_loss(now);
  }
  if (mode_ == Mode::kStartUp && ack.gate_limited && window_ <= most_useful()) {
    set_window(window_ + static_cast<double>(ack.acked.value()));
  }
  if (mode_ == Mode::kCompete) {
    const double through = kernel_limits() ? std::min(1.0, chunks() / kRepairChunks) : 1.0;
    share_ += kRttWeight * (window_ * through / to_seconds(rtt_) - share_);
  }
  if (dip_.step(flow(), now)) end_dip(now);
  if (acked_ >= round_end_) end_round(now);
  watch_late(now);
  update_pacer(now);
}

// Acknowledgements that were read one after the other say nothing of the line; nor does one of less than a
// segment: the end of a chunk may come in a small segment of its own, right behind the rest.
void PaceController::watch_line(double acked, Timestamp now) {
  line_acked_ += acked;
  if (line_acked_ < chunk_) return;
  if (now - line_from_ >= kLeastSpacing) {
    line_rate_ = std::max(line_rate_, line_acked_ / to_seconds(now - line_from_));
  }
  line_acked_ = 0;
  line_from_ = now;
}

void PaceController::sample(Duration rtt, Timestamp now) {
  const bool first = rtt_ == Duration::zero();
  round_longest_ = std::max(round_longest_, rtt);
  if (first) {
    base_seen_ = last_tick_ = began_ = now;
    first_dip_ = next_first_tick(now + kFirstDipRounds * rtt);
  }
  // What came before was no round trip but a repair, of the greeting say, or somebody's queue.
  const bool wrong = first || rtt < base() / 2;
  if (wrong) rtt_ = rtt;
  rtt_ += scaled(rtt - rtt_, kRttWeight);
  // A base that falls was wrong: others are dipping just now, and with them is the whole truth; unless
  // it was known to be of a competitor's queue.
  const Duration route_before = route();
  const bool fell = base_.sample(rtt);
  their_rtt_ = std::min(their_rtt_, rtt);
  grown_ |= rtt >= 2 * their_rtt_;
  const bool base_fell = fell && (mode_ != Mode::kCompete || route() < route_before);
  if (wrong && mode_ == Mode::kCompete) leave_compete(now);
  if (fell) flat_rounds_ = flat_dips_ = 0;
  if (rtt <= base() + scaled(threshold(), kNearBase)) {
    base_seen_ = now;
    if (!dip_.active() && refilling_ == 0) clear_at_ = now;
  }
  watch_sudden_queue(rtt);
  // All see the queue fall at the same moment: who joins in dips together from then on.
  const bool competing = mode_ == Mode::kCompete;
  const bool own_loss = competing && now < lost_at_ + kLossEcho * rtt_;
  const double part = competing ? kFallPartCompeting : kFallPart;
  const bool queue_fell = !own_loss && rtt - base() < scaled(usual_queue_, part) &&
                          usual_queue_ > kFallFrom && now >= base_seen_ + period() / 2;
  if (!dip_.active() && mode_ != Mode::kStartUp && (base_fell || queue_fell)) {
    start_dip(base_fell, now);
  }
}

void PaceController::set_window(double bytes) {
  window_ = std::clamp(bytes, kLeastChunks * chunk_, kMostBytes);
}

// Bytes: what is used of the window, and somewhat more to grow by.
double PaceController::most_useful() const {
  const auto used = used_.most();
  return used ? *used + kUnusedChunks * chunk_ : kMostBytes;
}

bool PaceController::window_was_limit() const {
  const bool whole = static_cast<double>(round_most_) + 2 * chunk_ >= 0.75 * window_;
  return round_gated_ && whole && window_ <= most_useful();
}

void PaceController::end_round(Timestamp now) {
  const bool sampled = round_min_ != Duration::max();
  const Duration queue = sampled ? round_min_ - base() : Duration{};
  const double seconds = to_seconds(now - round_begin_);
  if (seconds > 0 && round_gated_) {
    const double rate = static_cast<double>(acked_ - round_acked_from_) / seconds;
    bandwidth_ += (bandwidth_ > 0 ? 0.25 : 1.0) * (rate - bandwidth_);
  }
  if (!dip_.active()) gated_ += kUsualWeight * ((round_gated_ ? 1.0 : 0.0) - gated_);
  if (sampled && !dip_.active()) {
    const bool proved = static_cast<double>(acked_ - round_acked_from_) >= window_ / 2;
    peaks_.on_round(round_max_ - base(), threshold() / 2, proved, now);
    usual_queue_ += scaled(queue - usual_queue_, kUsualWeight);
    usual_spread_ += scaled(round_max_ - round_min_ - usual_spread_, kUsualWeight);
    switch (mode_) {
      case Mode::kStartUp:
        if (!flat(base(), round_min_)) {
          flat_rounds_ = 0;
        } else if (window_ >= kGrew * round_window_) {
          ++flat_rounds_;
        }
        if (queue > threshold() / 2) {
          end_start_up(round_min_);
        } else if (!window_was_limit()) {
          follow_use();
          // Nothing of its own was in the way of what it saw: no first dip is needed, which would
          // stop a video in the middle, when a queue ends this at last.
          if (now >= first_dip_) first_dip_ = qvid::kNever;
        } else if (now >= first_dip_) {
          first_dip_ = next_first_tick(now);  // with those who look by then
        }
        break;
      case Mode::kDelay:
        steer_by_delay(queue);
        detect_competitors(queue, now);
        break;
      case Mode::kCompete: compete(now); break;
    }
    if (base_is_sure()) first_dip_ = qvid::kNever;
    if (mode_ != Mode::kStartUp) dip_where_due(now);
  }
  begin_round(now);
}

void PaceController::begin_round(Timestamp now) {
  round_begin_ = now;
  round_window_ = window_;
  round_end_ = acked_ + outstanding_;
  round_acked_from_ = acked_;
  round_min_ = Duration::max();
  round_max_ = round_longest_ = {};
  round_most_ = outstanding_;
  round_gated_ = false;
}

void PaceController::on_new_socket(Timestamp now) {
  now = advance(now);
  // A planned move: nothing is on its way, as in a trial, and what is found out is of the path.
  const bool planned = outstanding_ == 0;
  outstanding_ = 0;
  acked_ = written_;
  unsent_ = 0;
  socket_ = {};
  const bool limited = kernel_limits();
  sampled_ = false;
  if (limited) begin_twin(now);
  held_to_ = 0;
  arrived_ = confirmed_ = written_;
  holes_.clear();
  used_.forget();
  if (!planned) {
    dip_.cancel();
    trial_.reset();
    // What this dip was to tell is still owed.
    if (std::exchange(first_look_, std::nullopt)) first_dip_ = next_first_tick(now);
    competitors_.forget_excess();
  }
  free_rounds_ = 0;
  settled_rounds_ = 2;
  sudden_ = 0;
  reduction_.end();
  late_.reset();
  // The kernel is in slow start: no more than its first window at once, and quickly up again.
  set_window(std::min(window_, kInitialChunks * chunk_));
  competitors_.on_new_socket(window_);
  if (mode_ == Mode::kDelay) mode_ = Mode::kStartUp;
  begin_round(now);
  update_pacer(now);
}

// What the window gave way to was no queue. It may be another path now: half of what it carried.
void PaceController::on_outage_over(Timestamp now) {
  on_new_socket(now);
  set_window(std::max(kInitialChunks * chunk_, kAfterOutage * bandwidth_ * to_seconds(base())));
  update_pacer(now);
  outage_to_ = kUnknown;
}

void PaceController::update_pacer(Timestamp now) {
  if (rtt_ <= Duration::zero()) return;
  // A window of few chunks is rounded up to whole ones; then the pace alone has to be right.
  const double gain = mode_ == Mode::kStartUp ? kStartUpGain
                      : kernel_limits()
                          ? kKernelGain
                          : std::clamp(window_ / at_once() / kRoundedChunks, 1.0, kPaceGain);
  // A sudden queue is in the way of what is written already; behind it the line takes the window in
  // the round trip that it is for. By the measured one, which follows over some eight
  // acknowledgements, a line that became slow would stand idle once the queue has drained.
  const Duration round_trip = sudden_ > 0 ? std::min(rtt_, base() + threshold()) : rtt_;
  const double goal = dip_.goes_on() ? dip_.level() / to_seconds(std::max(rtt_before_dip_, rtt_))
                                     : window_ / to_seconds(round_trip);
  const double rate = std::max(gain * goal, kLeastRate);
  const double peak = mode_ == Mode::kCompete ? rate : rate * peaks_.gain();
  // Beside a competitor one datagram at a time: of two at once a queue that is full takes one. Of two small
  // chunks a socket makes one segment, whose round trip is longer by both.
  const bool one = (mode_ == Mode::kCompete && !carries_) || at_once() < chunk_;
  const double chunks = one ? 1 : kQuantumChunks;
  const double quantum = std::max(chunks * at_once(), rate * to_seconds(kQuantumTime));
  // What went without tokens longer ago has arrived: until then the window holds up the others for it.
  pacer_.set(peak, quantum, std::max(quantum, rate * to_seconds(rtt_)), now);
}

}  // namespace paceline
