// PACE: a window steered by delay, paced, that holds its share against loss-based flows. It needs
// P-ACKs only; where the kernel tells, it also writes only when (almost) nothing is unsent, and
// competes with the kernel's own window. docs/paceline.md has the reasons, the measurements and the
// misses.
//
//   threshold(w) = 5 ms + 30 ms/√w              w in chunks; equal delay makes windows equal
//   once a round trip, with m its smallest rtt:
//     m >  base + threshold                     w ← w·(base + threshold)/m
//     m <= base + threshold, w was the limit    w ← w + half of what goes at once, more where the queue
//                                               stays short
//     the application was the limit             w ← 7/8·w + 1/8·(what it uses + 2)
//   at once goes                                w/6, but 0.45 at the least and 1 at the most
//   pacing                                      1.25·w/rtt, up to four times that for peaks; behind a
//                                               sudden queue by base + threshold
//   dip, at each 5 s of the wall's clock: hold half of w·base/rtt for a round    pace_ticks.cc
//     none where the base is known and was seen since, or while an own queue drains
//   three first dips, at ticks of 1.25 s        in company of those who began at about that time
//     neither of the first two empties the queue, or the first leaves three thresholds   compete
//     a later one does                          back to delay
//   a round trip of half of the base            back to delay: that was a queue
//   base falls: others dip                      stop with them, and learn the true base
//   excess, and no shorter though w gave way    a quarter of the rate goes on until the verdict
//   excess for 2 s although w gave way          trial: stop; our own kind does, too
//   two dips in a row leave most of the queue   the next is a trial
//     the base is not known, 30% of it is left  compete
//   most of the queue stays, or losses go on    compete: the kernel's window; without its word, and by
//                                               datagrams, w as CUBIC's (RFC 9438), ×0.7 on a loss, at
//                                               which a part of what arrives goes on; slow start until
//                                               half of what is under way on the line is its own
//   two dips in a row empty the queue           back to delay
//
// Its parts: BaseRtt, Dip, CompetitorDetector, CubicTwin, HoleDetector, Pacer, PeakPace,
// UsedWindow, RateReduction.
//
// Sources: Swift (SIGCOMM 2020) for the threshold that scales with the window, Copa (NSDI 2018) for
// telling competitors by a queue that does not empty, BBR and LEDBAT++ for periodic slowdown, RFC
// 7661 for a window that is not used: kept, it would be a long queue where the line becomes slow.
//
// Invariants: with nothing outstanding time opens the gate, whatever was measured; a round in which
// the application was the limit grows no window (CUBIC's twin: one in which it used less than half);
// time that runs backwards stands still.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "transport/control/base_rtt.h"
#include "transport/control/competitor_detector.h"
#include "transport/control/controller.h"
#include "transport/control/cubic_twin.h"
#include "transport/control/dip.h"
#include "transport/control/hole_detector.h"
#include "transport/control/pacer.h"
#include "transport/control/peak_pace.h"
#include "transport/control/rate_reduction.h"
#include "transport/control/used_window.h"

namespace paceline {

class PaceController : public Controller {
 public:
  explicit PaceController(const ControllerOptions& options);

  std::string_view name() const override { return "pace"; }
  ByteCount allowance(Timestamp now) const override;
  Timestamp opens_at(Timestamp now) const override;
  ByteCount elsewhere(Timestamp now) const override;
  Timestamp elsewhere_at(Timestamp now) const override;
  void on_written(ByteCount bytes, Timestamp now) override;
  void on_acked(const AckSample& ack, Timestamp now) override;
  void on_outstanding(ByteCount bytes, Timestamp now) override;
  void on_lost(Timestamp now) override { on_loss(advance(now)); }
  bool steers_by_delay() const override { return mode_ != Mode::kCompete; }
  void on_socket(const SocketSample& sample, Timestamp now) override;
  void on_new_socket(Timestamp now) override;
  void on_outage_over(Timestamp now) override;
  bool needs_socket() const override { return true; }
  ByteCount least_chunk() const override {
    return ByteCount(std::max(std::int64_t{1}, static_cast<std::int64_t>(at_once())));
  }
  ByteCount kernel_segment() const override {
    return kernel_limits() && !dip_.active() ? socket_.mss : ByteCount();
  }
  bool wants_no_hystart() const override;
  qvid::DataRate drain_rate() const override {
    // In a dip, and while it competes, less goes of itself: that tells nothing of the line.
    if (dip_.active() || mode_ == Mode::kCompete) return {};
    return reduction_.drain_rate(kDrainChunks * chunk_);
  }
  ControllerSignals signals() const override;

 private:
  enum class Mode { kStartUp, kDelay, kCompete };

  Timestamp advance(Timestamp now) { return last_ = std::max(last_, now); }
  double chunks() const { return window_ / chunk_; }
  // Bytes that go at once, where there are as many.
  double at_once() const;
  double smallest() const { return kLeastPart * chunk_; }
  // What was written at once, of a chunk, both with what is around them on the line.
  double segment_part() const { return (filled_ * chunk_ + kHeaders) / (chunk_ + kHeaders); }
  Duration base() const { return base_.value(); }
  // Start-up was on it for so long: nobody's queue was in it.
  bool base_is_sure() const { return flat_rounds_ >= kFlatRounds; }
  // Or so many dips in a row have ended on it, since it last fell.
  bool base_is_known() const { return base_is_sure() || flat_dips_ >= kFlatDips; }
  Duration route() const;  // the base, or what one can be at the most while that is not known
  Duration threshold() const;
  Duration crowd_aim(double chunks) const;
  Duration excess_aim() const;
  Duration kind_aim() const;  // what our own kind makes where each has little
  Duration suspicion() const;
  Duration surprise() const;
  Duration line_time() const;
  double limit() const;
  double room() const;
  static double told_window(const SocketSample& sample) {  // bytes
    return static_cast<double>(sample.cwnd) * static_cast<double>(sample.mss.value());
  }
  bool kernel_limits() const { return mode_ == Mode::kCompete && sampled_ && carries_; }
  double under_way() const;
  bool backlog_waits() const;
  bool any_socket() const { return mode_ == Mode::kDelay && !dip_.active(); }
  Duration period() const;
  Timestamp due() const;
  Timestamp next_first_tick(Timestamp from) const;
  Dip::Flow flow() const;

  void bound_queue(Duration rtt) {
    round_min_ = std::min(round_min_, rtt);
    round_max_ = std::max(round_max_, rtt);
    dip_.on_rtt(rtt);
  }
  void watch_line(double acked, Timestamp now);
  void sample(Duration rtt, Timestamp now);
  void watch_late(Timestamp now);
  void watch_sudden_queue(Duration rtt);
  void on_loss(Timestamp now);
  void end_round(Timestamp now);
  void begin_round(Timestamp now);
  void steer_by_delay(Duration queue);
  void follow_use();
  void detect_competitors(Duration queue, Timestamp now);
  void compete(Timestamp now);
  void begin_twin(Timestamp now);
  void enter_compete(Timestamp now);
  void end_start_up(Duration rtt);
  void leave_compete(Timestamp now);
  void set_window(double bytes);
  void give_way(double window);
  void dip_where_due(Timestamp now);
  void start_dip(bool stops, Timestamp now);
  void end_dip(Timestamp now);
  void update_pacer(Timestamp now);
  double most_useful() const;
  double least_window() const;
  bool window_was_limit() const;
  bool is_empty(Duration queue) const;

  // Of a chunk: no less goes at once, since as much is around it as around a whole one. Two that a socket makes
  // one segment of fit in it, with what is around each.
  static constexpr double kLeastPart = 0.45;
  // What the time that bytes take to drain is told of at the least.
  static constexpr double kDrainChunks = 3;
  // So many rounds of start-up on the base, while the window grew: the path was quiet.
  static constexpr int kFlatRounds = 3;
  static constexpr int kFlatDips = 3;
  // Part of the rounds: under it a flow seldom waits for its window.
  static constexpr double kSeldomGated = 0.25;
  static constexpr int kMostLooks = 5;     // that double the time to the next, to 10 s
  static constexpr int kMostMistakes = 3;  // that double that, to 80 s

  Duration wall_clock_;
  double chunk_;
  Mode mode_ = Mode::kStartUp;
  double window_;  // bytes
  Timestamp last_{};

  std::int64_t written_ = 0;
  // Bytes around a piece of content: IP, UDP, the seal and the piece's fields.
  static constexpr double kHeaders = 64;
  double filled_ = 1;  // the mean of what is written at once, of what may be
  std::int64_t acked_ = 0;
  std::int64_t outstanding_ = 0;
  double unsent_ = 0;
  SocketSample socket_;
  bool sampled_ = false;  // the kernel tells its window
  bool carries_ = true;   // and the content goes to sockets
  // What the peer's kernel has acknowledged, of `written_`: as last told; as told once, and when.
  std::int64_t arrived_ = 0;
  std::int64_t confirmed_ = 0;
  // What was written when segments were last acknowledged out of order: P-ACKs of it may be late by
  // a repair.
  std::int64_t held_to_ = 0;
  Timestamp confirmed_at_{};
  // What was written before the first acknowledgement after an outage waited behind what stood in the
  // way since before; kUnknown: that has not come yet.
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
  std::int64_t outage_to_ = 0;
  Pacer pacer_;
  PeakPace peaks_;
  HoleDetector holes_;

  // The round: what was outstanding at its begin is acknowledged at its end.
  std::int64_t round_end_ = 0;
  Timestamp round_begin_{};
  std::int64_t round_acked_from_ = 0;
  Duration round_min_ = Duration::max();
  Duration round_max_{};
  Duration round_longest_{};     // without what a repair held back
  std::int64_t round_most_ = 0;  // outstanding
  bool round_gated_ = false;
  double gated_ = kSeldomGated;  // part of the rounds, smoothed
  UsedWindow used_;
  int free_rounds_ = 0;      // in a row with a short queue
  int refilling_ = 0;        // rounds, after a dip
  int settled_rounds_ = 2;   // since the last step down
  double sudden_ = 0;        // the window before a sudden queue; zero: none is there
  RateReduction reduction_;  // while more is under way than that left
  // Bytes under way when their P-ACK was first late: no more than these for as long as it is.
  std::optional<std::int64_t> late_;
  double bandwidth_ = 0;  // bytes a second, smoothed over rounds
  Duration their_rtt_{};  // competing: the shortest round trip, from the one without this flow on
  // Competing: half of what is under way on the line is this flow's; the queue was short when that began.
  bool grown_ = false;
  bool short_queue_ = false;
  double share_ = 0;  // bytes a second, competing: the window a round trip, smoothed

  // What the line may carry: bytes a second over a chunk's worth of P-ACKs, the most seen. So a chunk
  // alone on a slow line is told from a queue.
  double line_rate_ = 0;
  double line_acked_ = 0;  // since
  Timestamp line_from_{};
  Timestamp acked_at_{};
  Duration rtt_{};  // smoothed; zero: no sample yet
  BaseRtt base_;
  Timestamp base_seen_{};  // when the queue was last seen (almost) empty, or a dip began
  Timestamp clear_at_{};   // when it was, with no dip before
  Timestamp first_dip_ = qvid::kNever;
  Duration usual_queue_{};
  Duration usual_spread_{};  // of the round trips of a round: bursts, and jitter

  Dip dip_;
  bool periodic_dip_ = false;       // on a tick of the grid, not joined
  Timestamp last_tick_{};           // with such a dip
  std::optional<Timestamp> trial_;  // this dip decides about competing; when the excess began
  CompetitorDetector competitors_;

  int empty_dips_ = 0;       // in a row, competing
  int mistakes_ = 0;         // in a row: it left, and had to come back
  int looks_ = 0;            // dips since it competes
  int flat_rounds_ = 0;      // of start-up, in which the window grew by half
  int flat_dips_ = 0;        // in a row, to kFlatDips
  double round_window_ = 0;  // at the round's begin
  int first_dips_ = 0;       // over, of those that count
  // This dip is one of them; whether it counts.
  std::optional<bool> first_look_;
  bool gave_way_ = false;  // all who were in the way, in one of them
  Duration rtt_before_dip_{};
  Duration base_before_dip_{};
  Duration last_low_{};  // of the dip before
  std::int64_t recovery_end_ = 0;
  Timestamp lost_at_{};
  Timestamp began_{};      // the first sample
  Timestamp dip_ended_{};  // the last one
  Timestamp left_{};       // when it last ceased to compete, and with what window
  double left_window_ = 0;
  CubicTwin twin_;
  bool lost_competing_ = false;  // so it is known what window is too much
};

}  // namespace paceline
