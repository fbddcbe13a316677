// A flow that comes late: has it its share, and have the others theirs, after ten seconds? Not in
// the papers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace join {
namespace {

constexpr std::array<const char*, 3> kSenders = {"pace+fo", "sock", "cubic"};
struct Setting {
  const char* rate;
  std::size_t first;
};
constexpr std::array<Setting, 3> kSettings = {{{"16mbit", 1}, {"4mbit", 2}, {"16mbit", 8}}};
constexpr Duration kJoins = Duration(15'000'000'000);
constexpr Duration kAllowed = Duration(10'000'000'000);

std::string name_of(const char* sender, const Setting& setting) {
  return fmt::format("{}, {} and one, {}", sender, setting.first, setting.rate);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Setting& setting : kSettings) {
    for (const char* sender : kSenders) {
      RunSpec run{.name = name_of(sender, setting),
                  .link = fmt::format("rate={} delay=15ms queue=60ms", setting.rate)};
      run.flows = {
          {.group = "first",
           .sender = sender,
           .workload = Workload::kGreedy,
           .count = setting.first},
          {.group = "late", .sender = sender, .workload = Workload::kGreedy, .start = kJoins}};
      run.duration = options.full ? 65s : 40s;
      run.warm_up = kJoins + kAllowed;
      run.seed = options.seed;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Greedy flows over 30 ms of round trip and drop-tail of 60 ms; one comes 15 s after the "
      "others. "
      "Shares of the fair rate from ten seconds after that on.";
  Table table{.title = "One flow comes late",
              .columns = {{.name = "flows"},
                          {.name = "sender"},
                          {.name = "share of the late one", .decimals = 2},
                          {.name = "least of the others", .decimals = 2},
                          {.name = "greatest of the others", .decimals = 2},
                          {.name = "median oldest unacked, ms"}},
              .rows = {}};
  Plot plot{.name = "join", .title = "One pace flow comes at 15 s", .panels = {}};
  for (const Setting& setting : kSettings) {
    for (const char* sender : kSenders) {
      const std::string flows = fmt::format("{} and one, {}", setting.first, setting.rate);
      const RunResult* run = run_named(results, name_of(sender, setting));
      if (!run) {
        table.rows.push_back({flows, std::string(sender), {}, {}, {}, {}});
        continue;
      }
      const Duration all = run->spec.duration - run->spec.warm_up;
      const double late = mean(shares(*run, of_group("late"), all));
      const std::vector<double> others = shares(*run, of_group("first"), all);
      const double least = percentile(others, 0);
      const double greatest = percentile(others, 1);
      table.rows.push_back({flows, std::string(sender), late, least, greatest,
                            percentile(oldest_unacked_ms(*run, of_group("")), .5)});
      if (sender != std::string_view("pace+fo")) continue;
      outcome.targets.push_back({.what = "pace+fo, " + flows + ": greatest share of any",
                                 .wanted = 1.15,
                                 .got = std::max(late, greatest)});
      outcome.targets.push_back({.what = "pace+fo, " + flows + ": least share of any",
                                 .wanted = 1 / 1.15,
                                 .at_least = true,
                                 .got = std::min(late, least)});
      Panel panel{.title = flows, .x_label = "s", .y_label = "Mbit/s", .series = {}};
      for (std::size_t i = 0; i < run->flows.size(); ++i) {
        const bool is_late = run->flows[i].group == "late";
        panel.series.push_back(
            rate_over_time(is_late ? "late" : fmt::format("first {}", i + 1), run->flows[i]));
      }
      plot.panels.push_back(std::move(panel));
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

}  // namespace
}  // namespace join

const Experiment kJoin = {.name = "join",
                          .title = "A flow that comes late",
                          .source = "",
                          .plan = join::plan,
                          .evaluate = join::evaluate};

}  // namespace qvid::lab
