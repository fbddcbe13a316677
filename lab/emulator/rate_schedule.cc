#include "lab/emulator/rate_schedule.h"

#include <algorithm>
#include <utility>

namespace qvid::lab {

RateSchedule::RateSchedule(DataRate base, std::vector<RateStep> steps, std::vector<Outage> outages,
                           Duration period)
    : outages_(std::move(outages)), period_(period) {
  const auto earlier = [](const RateStep& a, const RateStep& b) { return a.at < b.at; };
  std::stable_sort(steps.begin(), steps.end(), earlier);
  steps.insert(steps.begin(), {Duration::zero(), base});

  std::vector<Duration> edges;
  for (const RateStep& step : steps) edges.push_back(step.at);
  for (const Outage& outage : outages_) {
    edges.push_back(outage.at);
    edges.push_back(outage.at + outage.length);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  std::size_t step = 0;
  for (const Duration edge : edges) {
    if (period_ > Duration::zero() && edge >= period_) break;
    while (step + 1 < steps.size() && steps[step + 1].at <= edge) ++step;
    const bool out = std::any_of(outages_.begin(), outages_.end(), [&](const Outage& o) {
      return edge >= o.at && edge < o.at + o.length;
    });
    flat_.push_back({edge, out ? DataRate() : steps[step].rate});
  }
  steps_ = std::move(steps);
}

DataRate RateSchedule::capacity(Duration time) const {
  const Duration within = period_ > Duration::zero() ? time % period_ : time;
  const auto next = std::upper_bound(steps_.begin(), steps_.end(), within,
                                     [](Duration t, const RateStep& s) { return t < s.at; });
  return (next - 1)->rate;  // steps_ begins at 0
}

RateSchedule RateSchedule::with_capacity(DataRate capacity) const {
  RateSchedule other = *this;
  other.steps_ = {{Duration::zero(), capacity}};
  return other;
}

RateSchedule::Segment RateSchedule::at(Duration time) const {
  const bool repeats = period_ > Duration::zero();
  const Duration within = repeats ? time % period_ : time;
  const auto next = std::upper_bound(flat_.begin(), flat_.end(), within,
                                     [](Duration t, const RateStep& s) { return t < s.at; });
  const DataRate rate = (next - 1)->rate;  // flat_ begins at 0
  if (next != flat_.end()) return {rate, time - within + next->at};
  return {rate, repeats ? time - within + period_ : Duration::max()};
}

}  // namespace qvid::lab
