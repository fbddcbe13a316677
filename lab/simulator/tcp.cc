#include "lab/simulator/tcp.h"

#include <algorithm>
#include <cmath>

namespace qvid::lab::simulator {
namespace {

constexpr std::int64_t kDuplicates = 3;     // RFC 5681
constexpr Duration kLeastTimeout = 200ms;   // Linux, TCP_RTO_MIN
constexpr Duration kMostTimeout = 120s;     // Linux, TCP_RTO_MAX
constexpr double kBufferPerSegment = 1.45;  // Linux counts the buffers' overhead, skbs share it

}  // namespace

void TcpSender::send() {
  restart_after_idle();
  const auto allowed = static_cast<std::int64_t>(window_.segments());
  // What is lost goes first.
  for (auto s = segments_.begin(); lost_ > 0 && in_flight() < allowed && s != segments_.end();
       ++s) {
    if (!s->lost) continue;
    s->lost = false;
    s->resent = true;
    --lost_;
    ++retransmits_;
    transmit(*s);
  }
  while (in_flight() < allowed && next_ < written_) {
    const std::int64_t bytes = std::min(kMss, written_ - next_);
    segments_.push_back({.sequence = next_, .bytes = bytes, .order = 0, .sent = {}});
    next_ += bytes;
    transmit(segments_.back());
  }
  validate_window(in_flight() >= allowed);
  buffer_ = std::max(buffer_,
                     static_cast<std::int64_t>(2 * kBufferPerSegment * kMss * window_.segments()));
}

void TcpSender::transmit(Segment& segment) {
  const bool idle = deadline_ == kNever;
  segment.order = ++sent_count_;
  segment.sent = last_sent_ = loop_.now();
  if (state_ == State::kRecovery) ++prr_sent_;
  transmit_(segment.sequence, segment.bytes);
  if (idle || deadline_is_probe_) arm();
}

void TcpSender::restart_after_idle() {
  if (!segments_.empty() || last_sent_ == Timestamp{}) return;
  for (Duration idle = loop_.now() - last_sent_;
       idle > rto_ && window_.segments() > CongestionWindow::kInitial; idle -= rto_) {
    window_.set(std::max(CongestionWindow::kInitial, window_.segments() / 2));
  }
}

void TcpSender::validate_window(bool limited) {
  const Timestamp now = loop_.now();
  most_in_flight_ = std::max(most_in_flight_, in_flight());
  // In slow start, half used is enough to go on doubling.
  limited_ = limited || (window_.slow_start() &&
                         window_.segments() < 2 * static_cast<double>(most_in_flight_));
  if (limited_) {
    limited_at_ = now;
    if (limited) most_in_flight_ = in_flight();
  } else if (state_ == State::kOpen && now - limited_at_ >= rto_) {
    if (static_cast<double>(most_in_flight_) < window_.segments() &&
        window_.segments() > CongestionWindow::kInitial) {
      window_.on_application_limited(static_cast<double>(most_in_flight_));
    }
    limited_at_ = now;
    most_in_flight_ = in_flight();
  }
}

void TcpSender::sample_round_trip(Duration rtt) {
  least_rtt_ = std::min(least_rtt_, rtt);
  if (srtt_ == Duration::zero()) {
    srtt_ = rtt;
    rttvar_ = rtt / 2;
  } else {
    const Duration error = rtt > srtt_ ? rtt - srtt_ : srtt_ - rtt;
    rttvar_ += (error - rttvar_) / 4;
    srtt_ += (rtt - srtt_) / 8;
  }
  rto_ = std::min(srtt_ + std::max(kLeastTimeout, 4 * rttvar_), kMostTimeout);
  backoff_ = 0;
  // Eight samples of a round say whether the queue grows (HyStart).
  if (first_unacked_ >= round_end_) {
    round_end_ = next_;
    round_min_ = Duration::max();
    round_samples_ = 0;
  }
  round_min_ = std::min(round_min_, rtt);
  if (++round_samples_ == 8) window_.on_round_trip(round_min_, least_rtt_);
}

void TcpSender::on_ack(std::int64_t next_expected, std::int64_t sequence) {
  const Timestamp now = loop_.now();
  std::int64_t delivered = 0;
  const bool advanced = next_expected > first_unacked_;
  const auto arrived =
      std::lower_bound(segments_.begin(), segments_.end(), sequence,
                       [](const Segment& s, std::int64_t wanted) { return s.sequence < wanted; });
  if (arrived != segments_.end() && arrived->sequence == sequence && !arrived->sacked) {
    arrived->sacked = true;
    ++sacked_;
    ++delivered;
    if (arrived->lost) --lost_;
    arrived->lost = false;
    newest_delivered_ = std::max(newest_delivered_, arrived->order);
    if (!arrived->resent) sample_round_trip(now - arrived->sent);
  }
  while (!segments_.empty() && segments_.front().sequence < next_expected) {
    const Segment& s = segments_.front();
    if (s.sacked) --sacked_;
    if (s.lost) --lost_;
    if (!s.sacked) ++delivered;
    segments_.pop_front();
  }
  first_unacked_ = std::max(first_unacked_, next_expected);
  if (advanced) {
    backoff_ = 0;
    probed_ = false;
  }
  if (state_ != State::kOpen && first_unacked_ >= recovery_end_) {
    if (state_ == State::kRecovery) window_.set(window_.threshold());
    state_ = State::kOpen;
  }
  mark_lost(false);
  if (state_ == State::kOpen && lost_ > 0) enter_recovery();
  if (state_ == State::kRecovery) {
    reduce_proportionally(delivered, advanced);
  } else if (delivered > 0 && limited_) {
    window_.on_acked(static_cast<double>(delivered), srtt_, now);
  }
  if (advanced || delivered > 0) arm();
  send();
}

void TcpSender::mark_lost(bool waited) {
  if (sacked_ == 0) return;
  const bool sure = waited || state_ != State::kOpen || sacked_ >= kDuplicates;
  bool doubtful = false;
  for (Segment& s : segments_) {
    if (s.sacked || s.lost || s.order >= newest_delivered_) continue;
    doubtful = true;
    if (!sure) break;
    s.lost = true;
    ++lost_;
  }
  if (!doubtful || sure) return;
  const std::uint64_t newest = newest_delivered_;
  loop_.after(least_rtt_ / 4, [this, newest] {
    if (state_ != State::kOpen || newest_delivered_ < newest) return;
    mark_lost(true);
    if (lost_ == 0) return;
    enter_recovery();
    reduce_proportionally(0, false);
    send();
  });
}

void TcpSender::enter_recovery() {
  state_ = State::kRecovery;
  recovery_end_ = next_;
  before_recovery_ = window_.segments();
  prr_delivered_ = prr_sent_ = 0;
  window_.on_loss();
}

void TcpSender::reduce_proportionally(std::int64_t delivered, bool advanced) {
  prr_delivered_ += delivered;
  const double target = window_.threshold();
  const auto pipe = static_cast<double>(in_flight());
  double quota = 0;
  if (pipe > target) {
    quota = std::ceil(static_cast<double>(prr_delivered_) * target / before_recovery_) -
            static_cast<double>(prr_sent_);
  } else {
    const auto owed = static_cast<double>(std::max(prr_delivered_ - prr_sent_, delivered));
    quota = std::min(target - pipe, owed + (advanced ? 1 : 0));
  }
  // The first retransmission always goes.
  window_.set(pipe + std::max(quota, prr_sent_ == 0 ? 1.0 : 0.0));
}

void TcpSender::arm() {
  deadline_ = kNever;
  deadline_is_probe_ = false;
  const std::uint64_t timer = ++timer_;
  if (segments_.empty()) return;
  Duration wait = std::min(rto_ * (std::int64_t{1} << std::min(backoff_, 8)), kMostTimeout);
  if (state_ == State::kOpen && !probed_ && sacked_ == 0 && srtt_ > Duration::zero()) {
    // A lone segment may wait for the other end's delayed acknowledgement.
    const Duration probe = 2 * srtt_ + (segments_.size() == 1 ? kLeastTimeout : Duration(2ms));
    deadline_is_probe_ = probe < wait;
    wait = std::min(wait, probe);
  }
  deadline_ = loop_.now() + wait;
  loop_.at(deadline_, [this, timer] {
    if (timer == timer_) on_timer();
  });
}

void TcpSender::on_timer() {
  if (deadline_is_probe_) {
    probed_ = true;
    deadline_is_probe_ = false;
    if (next_ < written_) {
      const std::int64_t bytes = std::min(kMss, written_ - next_);
      segments_.push_back({.sequence = next_, .bytes = bytes, .order = 0, .sent = {}});
      next_ += bytes;
    } else {
      segments_.back().resent = true;
      ++retransmits_;
    }
    transmit(segments_.back());
    return arm();
  }
  ++timeouts_;
  ++backoff_;
  if (state_ != State::kLoss || backoff_ == 1) window_.on_timeout();
  window_.set(1);
  state_ = State::kLoss;
  recovery_end_ = next_;
  for (Segment& s : segments_) {
    if (s.sacked || s.lost) continue;
    s.lost = true;
    ++lost_;
  }
  limited_ = true;
  send();
  arm();
}

}  // namespace qvid::lab::simulator
