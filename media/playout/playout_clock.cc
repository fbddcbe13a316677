#include "media/playout/playout_clock.h"

#include <algorithm>

namespace qvid::media {

void PlayoutClock::on_header(Timestamp due, Timestamp arrival) {
  if (!started()) {
    model_.on_header(due, arrival, {});
    anchor_ = due;
    lag_ = goal(due);
    return;
  }
  begin_curve(arrival);
  const Duration at_once = model_.on_header(due, arrival, window_in_effect(due));
  if (at_once == Duration::zero()) return;
  lag_ += at_once;
  // Due times may have gone back by hours.
  anchor_ = std::min(on_show(arrival), due);
}

void PlayoutClock::set_window(int window, Timestamp now) {
  if (started()) begin_curve(now);
  window_ = window;
}

void PlayoutClock::follow(std::optional<Duration> lead, Timestamp now) {
  const Timestamp about = on_show(now);
  if (lead && *lead - least_lead(about) > kMostLead) lead.reset();
  if (lead_ && !lead && *lead_ > lag(about) + rate_.time_of(kSetupFrames + kDecodeFrames)) {
    anchor_ = now - *lead_;
    lag_ = *lead_ - rate_.time_of(kSetupFrames + kDecodeFrames);
  }
  lead_ = lead;
}

void PlayoutClock::begin_curve(Timestamp now) {
  const Timestamp shown = on_show(now);
  if (shown <= anchor_) return;
  lag_ = lag(shown);
  anchor_ = shown;
}

Duration PlayoutClock::lag(Timestamp due) const {
  const double frames_ahead = std::max(0.0, static_cast<double>((due - anchor_).count()));
  const Duration most(static_cast<std::int64_t>(kSlew * frames_ahead));
  return lag_ + std::clamp(goal(due) - lag_, -most, most);
}

// show_time solved for due; after two turns it is off by kSlew^2 of what the lag changes.
Timestamp PlayoutClock::on_show(Timestamp now) const {
  const Timestamp latest = now - rate_.time_of(kSetupFrames + kDecodeFrames);
  return latest - lag(latest - lag(latest - lag_));
}

}  // namespace qvid::media
