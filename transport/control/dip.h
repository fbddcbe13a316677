// A look at the path without this flow's queue: it drains to a level, holds that for a round, and
// tells the smallest round trip seen. Of its kind all who share the line dip together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace paceline {

class Dip {
 public:
  // Of the flow, now.
  struct Flow {
    double window = 0;  // bytes
    double chunk = 0;
    double least = 0;  // that this flow keeps in any dip: what it uses is in nobody's way
    qvid::Duration base{};
    qvid::Duration usual_queue{};
    bool competing = false;
    std::int64_t acked = 0;
    std::int64_t outstanding = 0;
  };

  bool active() const { return phase_ != Phase::kNone; }
  double level() const { return level_; }  // bytes, the most outstanding
  // Beside a competitor it is its queue that drains: a part of what arrives goes on, of a video the base.
  bool goes_on() const { return active() && goes_on_; }
  qvid::Timestamp paused_until() const { return pause_; }  // nothing goes before
  qvid::Duration low() const { return low_; }              // Duration::max(): nothing came back

  // A stop lets the path run empty; it and one in company wait for those who begin a little later.
  enum class Kind { kAlone, kInCompany, kStop };
  void begin(const Flow& flow, qvid::Duration rtt, Kind kind, qvid::Timestamp now);
  void cancel();
  void on_rtt(qvid::Duration rtt) { low_ = std::min(low_, rtt); }
  void on_written(double chunk) {
    if (phase_ == Phase::kHold && level_ < chunk) pause_ = least_end_;
  }
  // At every acknowledgement; gives whether it is over.
  bool step(const Flow& flow, qvid::Timestamp now);

 private:
  enum class Phase { kNone, kDrain, kHold };

  void set_level(const Flow& flow);

  Phase phase_ = Phase::kNone;
  bool stops_ = false;
  bool goes_on_ = false;
  double level_ = 0;
  std::int64_t end_ = 0;  // of the drain, and then of the hold: as many bytes acknowledged
  qvid::Timestamp begin_{};
  qvid::Timestamp least_end_{};
  qvid::Timestamp latest_end_{};
  qvid::Timestamp pause_{};
  qvid::Duration rtt_{};  // smoothed, at its begin
  qvid::Duration low_ = qvid::Duration::max();
};

}  // namespace paceline
