// A link that falls from 4 to 0.6 Mbit/s and comes back: how long until the delay is short again,
// and until the rate is used again. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace step {
namespace {

constexpr std::array<const char*, 7> kSenders = {"pace+fo", "adapt+fo", "sock", "none",
                                                 "cubic",   "lowat",    "bbr"};
constexpr double kFall = 15;    // s
constexpr double kRise = 30;    // s
constexpr double kShort = 150;  // ms
constexpr double kFullRate = 0.9 * 4e6;

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const char* sender : kSenders) {
    RunSpec run{.name = sender,
                .link = "rate=4mbit rate@15s=600kbit rate@30s=4mbit delay=15ms queue=60kB"};
    run.flows = {{.sender = sender, .workload = Workload::kGreedy}};
    run.duration = 45s;  // the steps are at their times, however much time there is
    run.warm_up = 5s;
    run.seed = options.seed;
    runs.push_back(std::move(run));
  }
  return runs;
}

std::size_t slot_at(double seconds) { return static_cast<std::size_t>(std::lround(10 * seconds)); }

// Seconds from the fall until all slots of the next second are under kShort; infinite: never.
double until_short(const FlowResult& flow) {
  const std::size_t end = std::min(flow.slots.size(), slot_at(kRise));
  for (std::size_t i = slot_at(kFall) + 1; i + 10 <= end; ++i) {
    const auto from = flow.slots.begin() + static_cast<long>(i);
    if (std::all_of(from, from + 10, [](const FlowSlot& slot) {
          return slot.oldest_unacked_ms >= 0 && slot.oldest_unacked_ms < kShort;
        })) {
      return 0.1 * static_cast<double>(i) - kFall;
    }
  }
  return std::numeric_limits<double>::infinity();
}

// Seconds from the rise until 500 ms together carry nine tenths of the rate.
double until_full(const FlowResult& flow) {
  for (std::size_t i = slot_at(kRise) + 5; i <= flow.slots.size(); ++i) {
    double bytes = 0;
    for (std::size_t j = i - 5; j < i; ++j) bytes += static_cast<double>(flow.slots[j].delivered);
    if (8 * bytes / 0.5 >= kFullRate) return 0.1 * static_cast<double>(i) - kRise;
  }
  return std::numeric_limits<double>::infinity();
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "One greedy flow; the link has 4 Mbit/s, from 15 s on 0.6 Mbit/s, from 30 s on 4 again; 30 "
      "ms of "
      "round trip, drop-tail of 60 kB (120 ms, at the low rate 800 ms). Short: under 150 ms for a "
      "second. Full: 500 ms with nine tenths of the rate.";
  Table table{.title = "4, 0.6 and 4 Mbit/s",
              .columns = {{.name = "sender"},
                          {.name = "short again after the fall, s", .decimals = 1},
                          {.name = "full again after the rise, s", .decimals = 1},
                          {.name = "worst after the fall, ms"},
                          {.name = "median at 4 Mbit/s, ms"},
                          {.name = "median at 0.6 Mbit/s, ms"},
                          {.name = "used of 0.6 Mbit/s", .decimals = 2}},
              .rows = {}};
  Panel delay{
      .title = "Oldest unacked", .x_label = "s", .y_label = "ms", .log_y = true, .series = {}};
  Panel rate{.title = "Rate", .x_label = "s", .y_label = "Mbit/s", .series = {}};
  for (const char* sender : kSenders) {
    const RunResult* run = run_named(results, sender);
    if (!run) {
      table.rows.push_back({std::string(sender), {}, {}, {}, {}, {}, {}});
      continue;
    }
    const FlowResult& flow = run->flows[0];
    const auto ages = [&](double from, double to) {
      std::vector<double> values;
      for (std::size_t i = slot_at(from); i < std::min(slot_at(to), flow.slots.size()); ++i) {
        values.push_back(flow.slots[i].oldest_unacked_ms);
      }
      return values;
    };
    double low = 0;
    for (std::size_t i = slot_at(kFall + 3); i < slot_at(kRise); ++i) {
      low += static_cast<double>(flow.slots[i].delivered);
    }
    const double is_short = until_short(flow);
    const double is_full = until_full(flow);
    table.rows.push_back({std::string(sender), cell(is_short), cell(is_full),
                          percentile(ages(kFall, kRise), 1), percentile(ages(5, kFall), .5),
                          percentile(ages(kFall + 3, kRise), .5),
                          8 * low / (kRise - kFall - 3) / 600e3});
    delay.series.push_back(over_time(
        sender, flow, [](const FlowSlot& slot) { return std::max(slot.oldest_unacked_ms, 1.0); }));
    rate.series.push_back(rate_over_time(sender, flow));
    if (sender == std::string_view("pace+fo")) {
      outcome.targets.push_back(
          {.what = "pace+fo: under 150 ms again after the fall, s", .wanted = 1, .got = is_short});
      outcome.targets.push_back(
          {.what = "pace+fo: full rate again after the rise, s", .wanted = 2, .got = is_full});
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "step",
                           .title = "4, 0.6 and 4 Mbit/s",
                           .panels = {std::move(delay), std::move(rate)}});
  return outcome;
}

}  // namespace
}  // namespace step

const Experiment kStep = {.name = "step",
                          .title = "A rate that falls and rises",
                          .source = "",
                          .plan = step::plan,
                          .evaluate = step::evaluate};

}  // namespace qvid::lab
