// Crowds of pace, alone and with greedy cubic flows among them, by seeds: what one run tells of them
// is chance. Not in the papers, but for the line and the number of flows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lab/experiments/papers/by_seed.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace crowd {
namespace {

constexpr std::size_t kBriefSeeds = 1;
constexpr std::size_t kFullSeeds = 10;
constexpr double kMostSeeds = .9;  // in which all has to hold
constexpr double kJain = .93;
constexpr double kUtilisation = .97;

struct Setting {
  std::size_t ours;
  std::size_t cubic;
  double median_ms;  // wanted at the most; zero: only told
  double p999_ms;
  Duration clock_error{};  // standard deviation of the hosts' clocks
};
constexpr std::array<Setting, 10> kSettings = {{{8, 0, 60, 110},
                                                {16, 0, 65, 120},
                                                {24, 0, 75, 150},
                                                {32, 0, 85, 200},
                                                {64, 0, 0, 0},
                                                {16, 0, 0, 0, 20ms},
                                                {16, 0, 0, 0, 1s},
                                                {12, 4, 130, 0},
                                                {8, 8, 130, 0},
                                                {4, 12, 130, 0}}};

std::string name_of(const Setting& s) {
  if (s.clock_error > Duration::zero()) {
    return fmt::format("{} of pace, clocks off by {:g} ms", s.ours, to_ms(s.clock_error));
  }
  return s.cubic == 0 ? fmt::format("{} of pace", s.ours)
                      : fmt::format("{} of pace and {} cubic", s.ours, s.cubic);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Setting& s : kSettings) {
    RunSpec run{.name = name_of(s), .link = std::string(kThesisLink)};
    run.flows = {
        {.group = "ours", .sender = "pace+fo", .count = s.ours, .clock_error = s.clock_error}};
    if (s.cubic > 0) {
      run.flows.push_back(
          {.group = "tcp", .sender = "cubic", .workload = Workload::kGreedy, .count = s.cubic});
    }
    run.warm_up = 8s;
    run.duration = s.cubic > 0 ? 40s : 24s;
    add_with_seeds(runs, run, seeds_of(options, kBriefSeeds, kFullSeeds), options);
  }
  return runs;
}

struct Found {
  BySeed median_ms;
  BySeed p999_ms;
  BySeed fair;
  BySeed used;
  BySeed least;          // share of a flow
  BySeed tcp;            // mean share
  std::size_t good = 0;  // seeds in which all holds
};

Found found_in(const Setting& s, std::span<const RunResult> results) {
  Found found;
  for (const RunResult* run : of_all_seeds(results, name_of(s))) {
    const std::uint64_t seed = run->spec.seed;
    const Duration all = run->spec.duration - run->spec.warm_up;
    const std::vector<double> ages = oldest_unacked_ms(*run, of_group("ours"));
    const double median = percentile(ages, .5);
    const double p999 = percentile(ages, .999);
    const double fair = jain(*run, of_group("ours"), 500ms);
    const double used = utilisation(*run);
    const std::vector<double> ours = shares(*run, of_group("ours"), all);
    found.median_ms.add(seed, median);
    found.p999_ms.add(seed, p999);
    found.fair.add(seed, fair);
    found.used.add(seed, used);
    found.least.add(seed, percentile(ours, 0));
    found.tcp.add(seed, mean(shares(*run, of_group("tcp"), all)));
    if (median <= s.median_ms && p999 <= s.p999_ms && fair >= kJain && used >= kUtilisation) {
      ++found.good;
    }
  }
  return found;
}

// A seed whose run failed is none in which all holds.
void judge(Outcome& outcome, const Setting& s, const Found& found, std::size_t seeds) {
  if (found.used.empty()) return;
  const std::string what = name_of(s) + ": ";
  if (s.p999_ms > 0) {
    outcome.targets.push_back(
        {.what = fmt::format("{}part of the seeds with median and 99.9% of {:g} and {:g} ms, Jain "
                             "{:g}, utilisation {:g}",
                             what, s.median_ms, s.p999_ms, kJain, kUtilisation),
         .wanted = kMostSeeds,
         .at_least = true,
         .got = static_cast<double>(found.good) / static_cast<double>(seeds)});
  }
  if (s.cubic == 0) return;
  outcome.targets.push_back({.what = what + "least share of a pace flow, median of the seeds",
                             .wanted = .6,
                             .at_least = true,
                             .got = found.least.median()});
  outcome.targets.push_back({.what = what + "median oldest unacked, median of the seeds, ms",
                             .wanted = s.median_ms,
                             .got = found.median_ms.median()});
  outcome.targets.push_back({.what = what + "mean share of cubic, median of the seeds",
                             .wanted = .8,
                             .at_least = true,
                             .got = found.tcp.median()});
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Videos of 5 Mbit/s by `pace+fo` share 16 Mbit/s, 30 ms of round trip, drop-tail of 120 kB; "
      "cubic flows are greedy. They begin within half a second; measured for 16 s after the eighth, "
      "with cubic for 32 s. Where clocks are off it is by a normal deviate with that standard deviation. Medians are of the seeds; worst is that of the worst seed.";
  Table table{.title = "Crowds by seeds",
              .columns = {{.name = "flows"},
                          {.name = "seeds"},
                          {.name = "oldest unacked, median, ms"},
                          {.name = "worst, ms"},
                          {.name = "99.9%, ms"},
                          {.name = "worst, ms"},
                          {.name = "its seed"},
                          {.name = "Jain, 500 ms", .decimals = 3},
                          {.name = "worst", .decimals = 3},
                          {.name = "its seed"},
                          {.name = "utilisation", .decimals = 3},
                          {.name = "worst", .decimals = 3},
                          {.name = "least share of a flow", .decimals = 2},
                          {.name = "worst", .decimals = 2},
                          {.name = "cubic's mean share", .decimals = 2}},
              .rows = {}};
  Panel panel{.title = "99.9% of oldest unacked",
              .x_label = "seed",
              .y_label = "ms",
              .log_y = true,
              .series = {}};
  for (const Setting& s : kSettings) {
    const Found found = found_in(s, results);
    const BySeed::Value oldest = found.p999_ms.greatest();
    const BySeed::Value unfair = found.fair.least();
    table.rows.push_back(
        {name_of(s), static_cast<double>(found.used.count()), cell(found.median_ms.median()),
         cell(found.median_ms.greatest().value), cell(found.p999_ms.median()), cell(oldest.value),
         oldest.seed_cell(), cell(found.fair.median()), cell(unfair.value), unfair.seed_cell(),
         cell(found.used.median()), cell(found.used.least().value), cell(found.least.median()),
         cell(found.least.least().value), cell(found.tcp.median())});
    const std::size_t seeds =
        std::max(found.used.count(), seeds_of(options, kBriefSeeds, kFullSeeds));
    judge(outcome, s, found, seeds);
    if (s.cubic > 0 || found.p999_ms.empty()) continue;
    panel.series.push_back(found.p999_ms.marks(name_of(s)));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(
      {.name = "crowd", .title = "Crowds of pace, by seed", .panels = {std::move(panel)}});
  return outcome;
}

}  // namespace
}  // namespace crowd

const Experiment kCrowd = {.name = "crowd",
                           .title = "Crowds, by seeds",
                           .source = "",
                           .plan = crowd::plan,
                           .evaluate = crowd::evaluate};

}  // namespace qvid::lab
