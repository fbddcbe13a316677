// Viewers who stay, and others who come and go all the time: what a broker keeps of those who have gone. Not
// in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace churn {
namespace {

constexpr std::size_t kViewers = 300;
constexpr std::size_t kRooms = 3;
constexpr double kJoins = 50;      // a second
constexpr double kMostGrowth = 2;  // %, either way
constexpr Duration kBrief = std::chrono::seconds(90);
constexpr Duration kFull = std::chrono::hours(1);
constexpr Duration kWarmUp = std::chrono::seconds(10);
constexpr const char* kName = "300 viewers, 50 joins a second";

Duration length_of(const ExperimentOptions& options) {
  return options.full ? kFull : from_seconds(to_seconds(kBrief) * options.stretch);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  return {{.name = kName,
           .trial = BrokerTrial{.viewers = kViewers,
                                .rooms = kRooms,
                                .rate = DataRate::from_bps(150'000),
                                .items = 15,
                                .churn = kJoins},
           .duration = length_of(options) + kWarmUp,
           .warm_up = kWarmUp}};
}

Plot memory_plot(const std::vector<std::pair<double, double>>& memory_mb) {
  Panel panel{.title = "Memory of the broker", .x_label = "min", .y_label = "MB", .series = {}};
  Series series{.name = "resident", .points = {}};
  double most = 0;
  for (const auto& [second, mb] : memory_mb) {
    series.points.emplace_back(second / 60, mb);
    most = std::max(most, mb);
  }
  panel.y_range = {0, 1.2 * most};
  panel.series.push_back(std::move(series));
  return {.name = "churn", .title = "Members who come and go", .panels = {std::move(panel)}};
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = fmt::format(
      "'qvid broker' on the loopback with TLS; {} viewers in {} rooms, each with a publisher of 0.15 "
      "Mbit/s, 15 items a second of four parts, for {:.0f} s; and {:.0f} members a second who join, "
      "watch for a second and leave. As `qvid-lab load --churn`. Growth: the broker's memory in the "
      "last quarter of the time over that in the second. Lost: base parts that did not come to one "
      "who stayed, sessions of theirs that ended, and comers who were not let in or did not get to leave.",
      kViewers, kRooms, to_seconds(length_of(options)), kJoins);
  Table table{.title = "A broker whose members come and go",
              .columns = {{.name = "came and went"},
                          {.name = "lost of them"},
                          {.name = "sessions lost"},
                          {.name = "base parts lost, %", .decimals = 3},
                          {.name = "longest gap, ms"},
                          {.name = "delay, median, ms", .decimals = 2},
                          {.name = "99%, ms", .decimals = 2},
                          {.name = "memory at the end, MB", .decimals = 1},
                          {.name = "its growth, %", .decimals = 2},
                          {.name = "CPU of the broker", .decimals = 2},
                          {.name = "CPU of the load", .decimals = 2}},
              .rows = {}};
  if (const RunResult* run = run_named(results, kName)) {
    const BrokerTrialResult& r = run->trial;
    const double memory = r.memory_mb.empty() ? 0 : r.memory_mb.back().second;
    table.rows.push_back({r.churned, r.churn_lost, r.sessions_lost, 100 * r.lost, r.longest_gap_ms,
                          r.delay_ms, r.delay_p99_ms, memory, 100 * r.memory_growth, r.broker_cpu,
                          r.load_cpu});
    const double growth = 100 * std::abs(r.memory_growth);
    outcome.targets = {{.what = "memory grows or falls, %", .wanted = kMostGrowth, .got = growth},
                       {.what = "sessions lost", .wanted = 0, .got = r.sessions_lost},
                       {.what = "comers lost", .wanted = 0, .got = r.churn_lost},
                       {.what = "base parts lost, %", .wanted = 0, .got = 100 * r.lost}};
    if (!r.memory_mb.empty()) outcome.plots.push_back(memory_plot(r.memory_mb));
  } else {
    table.rows.push_back({{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back("Broker and load share two cores.");
  return outcome;
}

}  // namespace
}  // namespace churn

const Experiment kChurn = {.name = "churn",
                           .title = "Members who come and go",
                           .source = "",
                           .plan = churn::plan,
                           .evaluate = churn::evaluate};

}  // namespace qvid::lab
