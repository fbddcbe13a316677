#include "lab/experiments/papers/tables.h"

#include <algorithm>
#include <cmath>

#include "lab/bed/quic_flow.h"

namespace qvid::lab {

void set_length(RunSpec& run, const Length& length, const ExperimentOptions& options) {
  const auto stretched = [&](Duration d) { return from_seconds(to_seconds(d) * options.stretch); };
  run.duration = options.full ? length.full : stretched(length.brief);
  run.warm_up =
      options.full ? length.full_warm_up : std::min(length.warm_up, stretched(length.warm_up));
  run.seed = options.seed;
}

std::vector<const char*> with_quic(std::vector<const char*> senders) {
  if (missing_for_quic().empty()) senders.push_back("quic");
  return senders;
}

std::string quic_note() {
  const std::string missing = missing_for_quic();
  if (!missing.empty()) {
    return "SST is not to be had; QUIC stands in its place, and is left out here: it needs " +
           missing + ".";
  }
  return "SST is not to be had; QUIC (ngtcp2 with Cubic) stands in its place, as a transport "
         "without a queue: each message is a stream, which begins when there is room in a datagram "
         "that may go now, the most important one first, and is reset at its bound.";
}

std::vector<const RunResult*> runs_named(std::span<const RunResult> results,
                                         std::string_view prefix) {
  std::vector<const RunResult*> runs;
  for (const RunResult& run : results) {
    if (run.error.empty() && run.spec.name.starts_with(prefix)) runs.push_back(&run);
  }
  return runs;
}

const RunResult* run_named(std::span<const RunResult> results, std::string_view name) {
  const auto run = std::ranges::find_if(
      results, [&](const RunResult& r) { return r.error.empty() && r.spec.name == name; });
  return run == results.end() ? nullptr : &*run;
}

std::vector<double> delays_ms(const RunResult& run, std::string_view group) {
  std::vector<double> all;
  for (const FlowResult& flow : run.flows) {
    if (flow.group == group) all.insert(all.end(), flow.delays_ms.begin(), flow.delays_ms.end());
  }
  return all;
}

std::vector<double> transfers_ms(const RunResult& run) {
  std::vector<double> all;
  for (const FlowResult& flow : run.flows) {
    all.insert(all.end(), flow.transfer_ms.begin(), flow.transfer_ms.end());
  }
  return all;
}

Cell cell(double value) {
  if (!std::isfinite(value)) return std::monostate{};
  return value;
}

Series distribution(std::string name, std::vector<double> values) {
  return {.name = std::move(name), .points = cdf(std::move(values))};
}

Series rate_over_time(std::string name, const FlowResult& flow) {
  constexpr std::size_t kAround = 5;  // slots on each side
  Series series{.name = std::move(name), .points = {}};
  const std::size_t slots = flow.slots.size();
  for (std::size_t i = 0; i < slots; ++i) {
    const std::size_t from = i - std::min(i, kAround);
    const std::size_t to = std::min(slots, i + kAround);
    double bytes = 0;
    for (std::size_t j = from; j < to; ++j) bytes += static_cast<double>(flow.slots[j].delivered);
    series.points.emplace_back(0.1 * static_cast<double>(i),
                               8e-6 * bytes / (0.1 * static_cast<double>(to - from)));
  }
  return series;
}

}  // namespace qvid::lab
