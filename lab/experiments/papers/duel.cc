// One flow against one greedy cubic flow. Not in the papers; it is what a call beside a download
// is.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace duel {
namespace {

struct Path {
  const char* name;
  const char* link;
};
constexpr std::array<Path, 3> kPaths = {
    {{"16 Mbit/s, 60 ms of queue", "rate=16mbit delay=15ms queue=60ms"},
     {"2 Mbit/s, 60 ms of queue", "rate=2mbit delay=15ms queue=60ms"},
     {"2 Mbit/s, 1 s of queue", "rate=2mbit delay=15ms queue=1s"}}};
constexpr std::array<const char*, 4> kSenders = {"sock", "adapt+fo", "pace+fo", "bbr"};

constexpr const char* kReason =
    "it takes seconds until pace knows the other for a competitor (see the panel), and the kernel's "
    "cubic then takes its share slowly, the more so the longer the queue; docs/paceline.md";

std::string name_of(const char* sender, const Path& path) {
  return fmt::format("{}, {}", sender, path.name);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Path& path : kPaths) {
    for (const char* sender : kSenders) {
      RunSpec run{.name = name_of(sender, path), .link = path.link};
      run.flows = {{.group = "ours", .sender = sender, .workload = Workload::kGreedy},
                   {.group = "tcp", .sender = "cubic", .workload = Workload::kGreedy}};
      set_length(run, {.brief = 30s, .warm_up = 8s, .full = 130s, .full_warm_up = 10s}, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "One greedy flow beside one greedy cubic flow, 30 ms of round trip, drop-tail. Shares are of "
      "half the rate, over the whole measured time.";
  Table table{.title = "Against one greedy cubic flow",
              .columns = {{.name = "path"},
                          {.name = "sender"},
                          {.name = "share", .decimals = 2},
                          {.name = "cubic's share", .decimals = 2},
                          {.name = "median, ms"},
                          {.name = "99%, ms"},
                          {.name = "cubic's median, ms"}},
              .rows = {}};
  Plot plot{.name = "duel", .title = "One pace flow beside one greedy cubic flow", .panels = {}};
  for (const Path& path : kPaths) {
    for (const char* sender : kSenders) {
      const RunResult* run = run_named(results, name_of(sender, path));
      if (!run) {
        table.rows.push_back({std::string(path.name), std::string(sender), {}, {}, {}, {}, {}});
        continue;
      }
      const Duration all = run->spec.duration - run->spec.warm_up;
      const double share = mean(shares(*run, of_group("ours"), all));
      const std::vector<double> ages = oldest_unacked_ms(*run, of_group("ours"));
      table.rows.push_back({std::string(path.name), std::string(sender), share,
                            mean(shares(*run, of_group("tcp"), all)), percentile(ages, .5),
                            percentile(ages, .99),
                            percentile(oldest_unacked_ms(*run, of_group("tcp")), .5)});
      if (sender != std::string_view("pace+fo")) continue;
      outcome.targets.push_back({.what = fmt::format("pace+fo against cubic, {}: share", path.name),
                                 .wanted = .6,
                                 .at_least = true,
                                 .got = share,
                                 .reason = kReason});
      Panel panel{.title = path.name, .x_label = "s", .y_label = "Mbit/s", .series = {}};
      panel.series.push_back(rate_over_time("pace+fo", run->flows[0]));
      panel.series.push_back(rate_over_time("cubic", run->flows[1]));
      panel.series.push_back(
          over_time("pace competes (1) or steers by delay (0)", run->flows[0],
                    [](const FlowSlot& slot) { return slot.competing ? 1.0 : 0.0; }));
      plot.panels.push_back(std::move(panel));
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

}  // namespace
}  // namespace duel

const Experiment kDuel = {.name = "duel",
                          .title = "Against one greedy cubic flow",
                          .source = "",
                          .plan = duel::plan,
                          .evaluate = duel::evaluate};

}  // namespace qvid::lab
