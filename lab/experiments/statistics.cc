#include "lab/experiments/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include "lab/emulator/link_spec.h"

namespace qvid::lab {
namespace {

// Whole slots: [begin, end) of the run.
struct Slots {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t count() const { return end > begin ? end - begin : 0; }
  Duration time() const { return kSlot * static_cast<std::int64_t>(count()); }
};

Duration begin_of(std::size_t slot) { return kSlot * static_cast<std::int64_t>(slot); }

Slots measured_slots(const RunSpec& spec) {
  const auto up = (spec.warm_up + kSlot - Duration(1)) / kSlot;
  const auto down = spec.duration / kSlot;
  return {static_cast<std::size_t>(std::max<std::int64_t>(0, up)),
          static_cast<std::size_t>(std::max<std::int64_t>(0, down))};
}

// When a flow runs; its end is the spec's, since the result is in the order of the spec.
struct Running {
  Duration from{};
  Duration to = Duration::max();

  bool throughout(Slots s) const { return from <= begin_of(s.begin) && begin_of(s.end) <= to; }
};

std::vector<Running> running_times(const RunResult& run) {
  std::vector<Running> times;
  times.reserve(run.flows.size());
  for (const FlowResult& f : run.flows)
    times.push_back({f.start.time_since_epoch(), Duration::max()});
  std::size_t i = 0;
  for (const FlowSpec& spec : run.spec.flows) {
    for (std::size_t n = 0; n < spec.count && i < times.size(); ++n) times[i++].to = spec.stop;
  }
  return times;
}

// Of the flows that share the link among them; the others come and go as they are.
bool takes_a_share(const FlowResult& f) {
  return f.workload == Workload::kGreedy || f.workload == Workload::kVideo ||
         f.workload == Workload::kGoddard;
}

std::int64_t delivered(const FlowResult& f, Slots s) {
  std::int64_t sum = 0;
  for (std::size_t i = s.begin; i < std::min(s.end, f.slots.size()); ++i) {
    sum += f.slots[i].delivered;
  }
  return sum;
}

// Calls f(window, its flows) for each whole window of the measured time, with the flows that take a
// share and run throughout it.
template <class F>
void for_each_window(const RunResult& run, Duration window, F&& f) {
  const Slots measured = measured_slots(run.spec);
  const auto length = static_cast<std::size_t>(std::max<std::int64_t>(1, window / kSlot));
  const auto times = running_times(run);
  std::vector<const FlowResult*> flows;
  for (std::size_t at = measured.begin; at + length <= measured.end; at += length) {
    const Slots slots{at, at + length};
    flows.clear();
    for (std::size_t i = 0; i < run.flows.size(); ++i) {
      if (takes_a_share(run.flows[i]) && times[i].throughout(slots)) flows.push_back(&run.flows[i]);
    }
    f(slots, flows);
  }
}

// What the direction could carry in [from, to), bits.
double capacity(const DirectionSpec& direction, Duration from, Duration to) {
  const DataRate most = direction.policer ? direction.policer->rate : kMaxRate;
  double bits = 0;
  while (from < to) {
    const auto segment = direction.schedule.at(from);
    const Duration until = std::min(segment.until, to);
    bits += static_cast<double>(std::min(segment.rate, most).bps()) * to_seconds(until - from);
    from = until;
  }
  return bits;
}

Duration measured_time(const RunResult& run) {
  return run.measured > Duration::zero() ? run.measured : run.spec.duration - run.spec.warm_up;
}

void leave_out_nan(std::vector<double>& values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
}

}  // namespace

double percentile(std::vector<double> values, double part) {
  leave_out_nan(values);
  if (values.empty()) return kNothingMeasured;
  // A hair less, so that 0.999 of 1000 is rank 999 in binary fractions too.
  const double rank = std::ceil(part * static_cast<double>(values.size()) - 1e-9);
  const auto last = static_cast<double>(values.size() - 1);
  const auto index = static_cast<std::ptrdiff_t>(std::clamp(rank - 1, 0.0, last));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

double mean(std::span<const double> values) {
  if (values.empty()) return kNothingMeasured;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

FlowFilter of_group(std::string_view group) {
  if (group.empty()) return [](const FlowResult&) { return true; };
  return [name = std::string(group)](const FlowResult& f) { return f.group == name; };
}

std::vector<double> oldest_unacked_ms(const RunResult& run, const FlowFilter& flows) {
  const Slots measured = measured_slots(run.spec);
  const auto times = running_times(run);
  std::vector<double> values;
  for (std::size_t i = 0; i < run.flows.size(); ++i) {
    const FlowResult& f = run.flows[i];
    if (!flows(f)) continue;
    for (std::size_t s = measured.begin; s < std::min(measured.end, f.slots.size()); ++s) {
      const double value = f.slots[s].oldest_unacked_ms;
      if (value >= 0 && times[i].throughout({s, s + 1})) values.push_back(value);
    }
  }
  return values;
}

std::vector<double> shares(const RunResult& run, const FlowFilter& flows, Duration window) {
  std::vector<double> values;
  const auto link = parse_link(run.spec.link);
  if (!link) return values;
  for_each_window(run, window, [&](Slots slots, const std::vector<const FlowResult*>& running) {
    if (running.empty()) return;
    const double fair = capacity(link->up, begin_of(slots.begin), begin_of(slots.end)) / 8 /
                        static_cast<double>(running.size());
    if (fair <= 0) return;  // an outage: there is nothing to share
    for (const FlowResult* f : running) {
      if (flows(*f)) values.push_back(static_cast<double>(delivered(*f, slots)) / fair);
    }
  });
  return values;
}

double jain(const RunResult& run, const FlowFilter& flows, Duration window) {
  std::vector<double> indices;
  for_each_window(run, window, [&](Slots slots, const std::vector<const FlowResult*>& running) {
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (const FlowResult* f : running) {
      if (!flows(*f)) continue;
      const auto bytes = static_cast<double>(delivered(*f, slots));
      ++count;
      sum += bytes;
      squares += bytes * bytes;
    }
    if (squares > 0) indices.push_back(sum * sum / (count * squares));
  });
  return mean(indices);
}

double capacity_bps(const RunResult& run) {
  const auto link = parse_link(run.spec.link);
  const Duration measured = measured_time(run);
  if (!link || measured <= Duration::zero()) return 0;
  return capacity(link->up, run.spec.warm_up, run.spec.warm_up + measured) / to_seconds(measured);
}

double utilisation(const RunResult& run) {
  const double could = capacity_bps(run) * to_seconds(measured_time(run));
  return could > 0 ? static_cast<double>(run.link.up.delivered_bytes) * 8 / could : 0;
}

double starved(const RunResult& run, const FlowFilter& flows, Duration window) {
  std::size_t all = 0;
  std::size_t without = 0;
  for_each_window(run, window, [&](Slots slots, const std::vector<const FlowResult*>& running) {
    for (const FlowResult* f : running) {
      if (!flows(*f)) continue;
      ++all;
      if (delivered(*f, slots) == 0) ++without;
    }
  });
  return all == 0 ? kNothingMeasured : static_cast<double>(without) / static_cast<double>(all);
}

double throughput_bps(const RunResult& run, const FlowFilter& flows) {
  const Slots measured = measured_slots(run.spec);
  if (measured.count() == 0) return 0;
  std::int64_t bytes = 0;
  for (const FlowResult& f : run.flows) {
    if (flows(f)) bytes += delivered(f, measured);
  }
  return static_cast<double>(bytes) * 8 / to_seconds(measured.time());
}

std::vector<std::pair<double, double>> cdf(std::vector<double> values, std::size_t points) {
  leave_out_nan(values);
  std::vector<std::pair<double, double>> line;
  if (values.empty() || points == 0) return line;
  std::sort(values.begin(), values.end());
  const std::size_t last = values.size() - 1;
  const std::size_t count = std::min(points, values.size());
  for (std::size_t i = 0; i < count; ++i) {
    // Evenly by rank, with the least and the greatest; one alone is the greatest.
    const double value = values[count == 1 ? last : i * last / (count - 1)];
    if (!line.empty() && line.back().first == value) continue;
    const auto up_to = std::upper_bound(values.begin(), values.end(), value) - values.begin();
    line.emplace_back(value, static_cast<double>(up_to) / static_cast<double>(values.size()));
  }
  return line;
}

}  // namespace qvid::lab
