// One TCP connection, kernel to kernel, as far as a latency controller can feel it: congestion
// window, SACK with RACK's rule (a segment sent before one that has arrived is lost, once three
// have overtaken it or a quarter of a round trip has passed), proportional rate reduction, tail
// loss probe, time-outs with exponential backoff, and delivery in order. Not modelled: the
// receive window, reordering on the path, undo, delayed acknowledgements, kernel pacing.
//
// The return path loses nothing, so an acknowledgement names the segment that caused it.
// Source: RFC 5681, 6298, 6675, 6937, 8985, and Linux where it differs (RTO = srtt + 200 ms).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

#include "base/units.h"
#include "lab/simulator/congestion_window.h"
#include "lab/simulator/event_loop.h"

namespace qvid::lab::simulator {

inline constexpr std::int64_t kMss = 1448;

class TcpSender {
 public:
  // Hands a segment to the network.
  using Transmit = std::function<void(std::int64_t sequence, std::int64_t bytes)>;

  TcpSender(EventLoop& loop, CongestionControl kind, Transmit transmit)
      : loop_(loop), window_(kind), transmit_(std::move(transmit)) {}

  void write(std::int64_t bytes) {
    written_ += bytes;
    send();
  }
  // Everything before `next_expected` has arrived; `sequence` is the segment that did now.
  void on_ack(std::int64_t next_expected, std::int64_t sequence);

  void become(CongestionControl kind) {
    window_.become(kind);
    least_rtt_ = Duration::max();
  }
  bool slow_start_over() const { return window_.slow_start_over(); }
  bool repairs() const { return state_ != State::kOpen; }
  std::uint32_t cwnd() const { return static_cast<std::uint32_t>(window_.segments()); }
  std::uint32_t sacked() const { return static_cast<std::uint32_t>(sacked_); }
  std::int64_t unacked() const { return written_ - first_unacked_; }
  std::int64_t unsent() const { return written_ - next_; }
  // Linux lets the send buffer grow with the window, to twice its size, and never shrinks it.
  std::int64_t buffer() const { return buffer_; }
  std::uint64_t timeouts() const { return timeouts_; }
  std::uint64_t retransmits() const { return retransmits_; }

 private:
  enum class State { kOpen, kRecovery, kLoss };
  struct Segment {
    std::int64_t sequence;
    std::int64_t bytes;
    std::uint64_t order;  // of its last transmission among all
    Timestamp sent;
    bool sacked = false;
    bool lost = false;
    bool resent = false;
  };

  std::int64_t in_flight() const {
    return static_cast<std::int64_t>(segments_.size()) - sacked_ - lost_;
  }
  void send();
  void transmit(Segment& segment);
  void restart_after_idle();
  void validate_window(bool limited);
  void sample_round_trip(Duration rtt);
  void mark_lost(bool waited);
  void enter_recovery();
  void reduce_proportionally(std::int64_t delivered, bool advanced);
  void arm();
  void on_timer();

  EventLoop& loop_;
  CongestionWindow window_;
  Transmit transmit_;

  std::int64_t written_ = 0;
  std::int64_t next_ = 0;  // the first byte never sent
  std::int64_t first_unacked_ = 0;
  std::deque<Segment> segments_;  // from first_unacked_ to next_
  std::int64_t sacked_ = 0;       // segments
  std::int64_t lost_ = 0;         // segments marked lost and not resent
  std::uint64_t sent_count_ = 0;
  std::uint64_t newest_delivered_ = 0;  // in order of transmission

  State state_ = State::kOpen;
  std::int64_t recovery_end_ = 0;
  double before_recovery_ = 0;  // the window
  std::int64_t prr_delivered_ = 0;
  std::int64_t prr_sent_ = 0;

  Duration srtt_{};
  Duration rttvar_{};
  Duration least_rtt_ = Duration::max();
  Duration round_min_ = Duration::max();
  std::int64_t round_end_ = 0;
  int round_samples_ = 0;

  bool limited_ = false;             // by the window
  std::int64_t most_in_flight_ = 0;  // since the window was last the limit
  Timestamp limited_at_{};
  Timestamp last_sent_{};

  Duration rto_ = 1s;  // RFC 6298 before the first sample
  int backoff_ = 0;
  bool probed_ = false;  // the tail loss probe was sent
  Timestamp deadline_ = kNever;
  bool deadline_is_probe_ = false;
  std::uint64_t timer_ = 0;

  std::int64_t buffer_ = 46 * 1024;  // Linux: room for two initial windows with its overheads
  std::uint64_t timeouts_ = 0;
  std::uint64_t retransmits_ = 0;
};

// Puts segments in order.
class TcpReceiver {
 public:
  // Gives the first byte not yet there.
  std::int64_t on_segment(std::int64_t sequence, std::int64_t bytes) {
    if (sequence > next_) {
      early_.emplace(sequence, bytes);
      return next_;
    }
    next_ = std::max(next_, sequence + bytes);
    while (!early_.empty() && early_.begin()->first <= next_) {
      next_ = std::max(next_, early_.begin()->first + early_.begin()->second);
      early_.erase(early_.begin());
    }
    return next_;
  }
  std::int64_t next() const { return next_; }

 private:
  std::int64_t next_ = 0;
  std::map<std::int64_t, std::int64_t> early_;
};

}  // namespace qvid::lab::simulator
