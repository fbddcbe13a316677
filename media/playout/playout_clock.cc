#include "media/playout/playout_clock.h"

#include <algorithm>

namespace qvid::media {

Duration PlayoutClock::on_header(Timestamp captured, Timestamp due, Timestamp arrival) {
  if (!started()) {
    model_.on_header(due, arrival, {});
    anchor_ = captured;
    lag_ = goal(captured);
    return {};
  }
  begin_curve(arrival);
  const Duration before = model_.offset(captured);
  const Duration at_once = model_.on_header(due, arrival, most_);
  if (at_once != Duration::zero()) {
    lag_ += at_once;
    // Capture times may have gone back by hours.
    anchor_ = std::min(on_show(arrival), captured);
  }
  return model_.offset(captured) - before;
}

void PlayoutClock::set_target(Duration target, Duration most, Timestamp now) {
  most_ = most;
  if (target == target_) return;
  if (started()) begin_curve(now);
  target_ = target;
}

void PlayoutClock::on_gap_ends(Timestamp captured) {
  lag_ = std::min(lag(captured), goal(captured));
  anchor_ = captured;
}

void PlayoutClock::on_shown_late(Timestamp captured, Timestamp now) {
  const Duration late = std::min(now - captured, model_.offset(captured) + most_);
  if (late <= lag(captured)) return;
  anchor_ = captured;
  lag_ = late;
}

void PlayoutClock::follow(std::optional<Duration> lead, Timestamp now) {
  const Timestamp about = on_show(now);
  if (lead && *lead - least_lead(about) > kMostLead) lead.reset();
  if (lead_ && !lead && *lead_ - kLipSlack > lag(about)) {
    lag_ = *lead_ - kLipSlack;
    anchor_ = now - lag_;
  }
  lead_ = lead;
}

void PlayoutClock::begin_curve(Timestamp now) {
  const Timestamp shown = on_show(now);
  if (shown <= anchor_) return;
  lag_ = lag(shown);
  anchor_ = shown;
}

Duration PlayoutClock::lag(Timestamp captured) const {
  const double ahead = std::max(0.0, static_cast<double>((captured - anchor_).count()));
  const Duration most(static_cast<std::int64_t>(slew_ * ahead));
  return lag_ + std::clamp(goal(captured) - lag_, -most, most);
}

// show_time solved for the capture; after two turns it is off by slew^2 of what the lag changes.
Timestamp PlayoutClock::on_show(Timestamp now) const { return now - lag(now - lag(now - lag_)); }

}  // namespace qvid::media
