#include "media/playout/clock_model.h"

#include <algorithm>
#include <vector>

#include "media/unit/timeline_frames.h"

namespace qvid::media {
namespace {

struct Point {
  double x = 0.0;
  double y = 0.0;
};

// Positive where a, b, c turn left.
double turn(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

ClockModel::ClockModel(FrameRate rate)
    : setup_(rate.time_of(kSetupFrames)),
      slot_time_(std::max(kSlot, rate.time_of(2))),
      notable_(std::min(rate.frame_time() / 2, kStep)) {}

Duration ClockModel::on_header(Timestamp due, Timestamp arrival, Duration slack) {
  const Slot sample{.began = arrival, .due = due, .least = arrival - due - setup_};
  if (slots_.empty()) {
    reference_ = due;
    phase_ = sample.least;
    slots_.push_back(sample);
    return {};
  }
  Duration at_once{};
  if (arrival >= slots_.back().began + slot_time_) {
    at_once = rise(slack);
    estimate_rate();
    slots_.push_back(sample);
    if (slots_.size() > kRateSlots) slots_.pop_front();
  } else if (sample.least < slots_.back().least) {
    slots_.back().due = due;
    slots_.back().least = sample.least;
  }
  const Duration below = -above_line(sample);
  if (below <= Duration::zero()) return at_once;
  if (below > notable_) keep_latest(1);
  if (below > kStep) {
    slots_.back() = sample;
    ++steps_;
    at_once -= below;
  }
  reference_ = due;
  phase_ = sample.least;
  return at_once;
}

// The nanoseconds of a wild `due` stay below 2^63 after the product: the rate is small.
Duration ClockModel::along(Timestamp due) const {
  return Duration(
      static_cast<std::int64_t>(rate_ * static_cast<double>((due - reference_).count())));
}

ClockModel::Range ClockModel::latest(std::size_t slots) const {
  Range range{.least = Duration::max(), .most = Duration::min()};
  for (auto it = slots_.rbegin(); it != slots_.rend() && slots-- > 0; ++it) {
    range.least = std::min(range.least, above_line(*it));
    range.most = std::max(range.most, above_line(*it));
  }
  return range;
}

Duration ClockModel::rise(Duration slack) {
  const auto taken = [&](std::size_t slots, Duration over, bool steady) {
    if (slots_.size() < slots) return Duration::zero();
    const Range range = latest(slots);
    if (range.least <= over || (steady && range.most - range.least >= range.least / 4)) {
      return Duration::zero();
    }
    phase_ += range.least;
    // What was before says nothing of the rate any more.
    if (range.least > notable_) keep_latest(slots);
    return range.least;
  };
  Duration by = taken(kPatienceSlots, notable_, true);
  if (by == Duration::zero()) by = taken(kUnplayableSlots, std::max(slack, notable_), false);
  if (by == Duration::zero()) by = taken(kMemorySlots, Duration::zero(), false);
  if (by > kStep) ++steps_;
  return by > std::min(kStep, slack) ? by : Duration::zero();
}

void ClockModel::keep_latest(std::size_t slots) {
  while (slots_.size() > slots) slots_.pop_front();
}

void ClockModel::estimate_rate() {
  const Timestamp first = slots_.front().due;
  if (slots_.back().due - first < kLeastForRate) return;
  std::vector<Point> hull;
  for (const Slot& slot : slots_) {
    const Point p{.x = static_cast<double>((slot.due - first).count()),
                  .y = static_cast<double>((slot.least - slots_.front().least).count())};
    // Headers that overtook one another.
    if (!hull.empty() && p.x <= hull.back().x) continue;
    while (hull.size() >= 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
    hull.push_back(p);
  }
  if (hull.size() < 2) return;
  const double middle = static_cast<double>((slots_[slots_.size() / 2].due - first).count());
  std::size_t right = 1;
  while (right + 1 < hull.size() && hull[right].x < middle) ++right;
  const Point a = hull[right - 1];
  const Point b = hull[right];
  // The line turns about the newest frame, so that what is played next does not move.
  const Timestamp newest = slots_.back().due;
  phase_ = offset(newest);
  reference_ = newest;
  rate_ = std::clamp((b.y - a.y) / (b.x - a.x), -kMaxRate, kMaxRate);
}

}  // namespace qvid::media
