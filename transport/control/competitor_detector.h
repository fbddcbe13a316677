// Whether a competitor shares the line: somebody who does not give way to a queue, as loss-based
// congestion control does not.
//
// Three signs lead to a trial, which is to stop, and to see what stays:
//   the queue stays over `aim` although this flow gives way
//   losses spread over seconds, with a queue                    our kind seldom fills a queue so
//   two periodic dips in a row leave most of the queue (where the base is not known, a part tells
//     without a trial)                                          our kind dips at the same moment
// The second alone is no verdict: of a short queue on a narrow line each peak of a video is too much,
// and of chance losses there is no end. So a trial for losses comes 10 s after the one before, then
// 20, 40, and so on: each is a gap of a fifth of a second in a video.
// Our own kind sees the same queue, so its trials come at the same moment and empty it. As one may
// be out of step, a trial counts alone only where something else speaks for one: a loss, such dips,
// or a queue far longer than our kind makes. Otherwise it takes two, without one that empties the
// queue between; one that leaves a part counts half.
#pragma once

#include <optional>

#include "base/units.h"

namespace paceline {

class CompetitorDetector {
 public:
  enum class Verdict { kNone, kLongerRoute, kTrial };

  struct Round {
    qvid::Duration base;
    qvid::Duration queue;    // the least
    qvid::Duration longest;  // queue
    qvid::Duration aim;      // what our own kind makes in a crowd
    qvid::Duration rtt;      // smoothed
    double window;           // bytes
    double under_way;        // bytes, at the most
  };
  // Once a round trip.
  Verdict on_round(const Round& round, qvid::Timestamp now);
  // Gives whether the losses call for a trial. `queued`: it came with a queue; others are chance.
  bool on_loss(bool queued, qvid::Duration period, qvid::Timestamp now);
  // After a trial, with what is left of the usual queue; gives whether it is a competitor's.
  bool judge(qvid::Duration left, qvid::Duration usual, qvid::Duration aim);
  // Whether that is far more than our own kind leaves.
  static bool far_longer(qvid::Duration left, qvid::Duration aim);
  struct DipResult {
    qvid::Duration low;        // the least round trip
    qvid::Duration left;       // of the queue
    qvid::Duration usual;      // queue
    qvid::Duration spread;     // of the round trips of a round: jitter
    qvid::Duration threshold;  // the flow's own
    bool base_known;
  };
  // After a periodic dip that was no trial.
  void on_dip(const DipResult& dip);
  // Whether the next periodic dip is to be a trial; where the base is not known that is the verdict.
  bool dips_suspect() const;
  void reset(double window);
  void forget_excess() {
    since_.reset();
    unanswered_ = false;
  }
  // On another socket, perhaps another path: what went before is no measure.
  void on_new_socket(double window) {
    window_before_ = window;
    under_way_before_ = under_way_usual_ = 0;
    unanswered_ = false;
    full_dips_ = 0;
  }

  qvid::Timestamp began() const { return began_; }         // the excess of the last verdict
  qvid::Duration longer_route() const { return low_; }     // the round trip of the last verdict
  double window_before() const { return window_before_; }  // the excess began
  double under_way_before() const { return under_way_before_; }
  // Whether the queue stays where less is sent: it is somebody else's.
  bool unanswered() const { return unanswered_; }

 private:
  std::optional<qvid::Timestamp> since_;
  qvid::Timestamp began_{};
  double window_before_ = 0;
  double under_way_before_ = 0;  // zero: nothing is known of this path without an excess
  double under_way_then_ = 0;    // a round trip ago: its queue is measured now
  double under_way_usual_ = 0;   // without an excess, smoothed; from zero, as a start is not usual
  qvid::Duration first_{};       // the longest queue of the excess, before less was sent
  bool unanswered_ = false;
  int over_ = 0;  // rounds, of those watched since
  int watched_ = 0;
  bool lost_ = false;
  qvid::Duration low_{};  // of the rounds in its second half
  qvid::Duration high_{};
  int full_dips_ = 0;         // in a row
  qvid::Duration dip_low_{};  // the least round trip of the last periodic dip
  int doubts_ = 0;            // of the trials since one that emptied the queue
  int losses_ = 0;
  qvid::Timestamp first_loss_{};
  qvid::Timestamp last_loss_{};
  int loss_periods_ = 0;  // of dips, until losses may call for the next trial
  qvid::Timestamp next_loss_trial_{};
};

}  // namespace paceline
