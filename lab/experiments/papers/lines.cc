// A video by pace that takes more than the line carries, on lines of the kinds that people have,
// alone and beside one greedy cubic flow; and cubic alone on each, as what it is measured by. Not in the
// papers.
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "lab/experiments/papers/by_seed.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace lines {
namespace {

constexpr std::size_t kBriefSeeds = 1;
constexpr std::size_t kFullSeeds = 10;

struct Line {
  const char* name;
  const char* link;
  std::int64_t kbps;  // of the video: more than it carries
};
constexpr std::array<Line, 8> kAll = {
    {{"CoDel, 16 Mbit/s", "rate=16mbit delay=15ms queue=200ms aqm=codel", 20'000},
     {"FQ-CoDel, 16 Mbit/s", "rate=16mbit delay=15ms queue=200ms aqm=fq-codel", 20'000},
     {"policed", "policed", 6000},
     {"2 % lost, 8 Mbit/s", "rate=8mbit delay=30ms queue=120ms loss=2%", 10'000},
     {"lte", "lte", 10'000},
     {"cellular", "cellular", 10'000},
     {"hotel-wifi", "hotel-wifi", 5000},
     {"busy-wifi", "busy-wifi", 30'000}}};

struct Setting {
  const char* name;
  const char* sender;
  Workload workload;
  bool beside_cubic;
};
constexpr std::array<Setting, 3> kSettings = {
    {{"pace alone", "pace+fo", Workload::kVideo, false},
     {"cubic alone", "cubic", Workload::kGreedy, false},
     {"pace beside cubic", "pace+fo", Workload::kVideo, true}}};

std::string name_of(const Line& line, const Setting& setting) {
  return fmt::format("{}: {}", line.name, setting.name);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Line& line : kAll) {
    for (const Setting& setting : kSettings) {
      RunSpec run{.name = name_of(line, setting), .link = line.link};
      run.flows = {{.group = "ours",
                    .sender = setting.sender,
                    .workload = setting.workload,
                    .rate = DataRate::from_kbps(line.kbps)}};
      if (setting.beside_cubic) {
        run.flows.push_back(
            {.group = "neighbour", .sender = "cubic", .workload = Workload::kGreedy});
      }
      run.warm_up = 10s;
      run.duration = 40s;
      add_with_seeds(runs, run, seeds_of(options, kBriefSeeds, kFullSeeds), options);
    }
  }
  return runs;
}

// What all seeds of one setting on one line came to.
struct Found {
  BySeed used;  // of the line, by all flows' content
  BySeed share;
  BySeed keeps;
  BySeed median_ms;
  BySeed p99_ms;
};

Found found_in(const Line& line, const Setting& setting, std::span<const RunResult> results) {
  Found found;
  for (const RunResult* run : of_all_seeds(results, name_of(line, setting))) {
    const std::uint64_t seed = run->spec.seed;
    const Duration all = run->spec.duration - run->spec.warm_up;
    const std::vector<double> ages = oldest_unacked_ms(*run, of_group("ours"));
    found.used.add(seed, throughput_bps(*run, of_group("")) / capacity_bps(*run));
    found.share.add(seed, mean(shares(*run, of_group("ours"), all)));
    found.keeps.add(seed, mean(shares(*run, of_group("neighbour"), all)));
    found.median_ms.add(seed, percentile(ages, .5));
    found.p99_ms.add(seed, percentile(ages, .99));
  }
  return found;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "On lines of many kinds (`qvid-lab links` has those with a name) a video by `pace+fo` that takes more "
      "than they carry, alone and beside a greedy cubic flow; and that alone. CoDel and FQ-CoDel: 30 ms of round trip and room for 200 ms. 2 % lost: "
      "60 ms, room for 120 ms. Both begin within half a second, and 30 s after the tenth are measured. A share "
      "is of the flow's fair part of what the line could carry, of a policed one what the policer lets "
      "through; medians are of the seeds, worst is that of the worst seed.";
  Table table{.title = "On lines of many kinds",
              .columns = {{.name = "line"},
                          {.name = "flows"},
                          {.name = "seeds"},
                          {.name = "of the line used", .decimals = 2},
                          {.name = "share, median", .decimals = 2},
                          {.name = "least", .decimals = 2},
                          {.name = "its seed"},
                          {.name = "cubic's share beside it", .decimals = 2},
                          {.name = "oldest unacked, median, ms"},
                          {.name = "its worst seed's, ms"},
                          {.name = "99%, ms"}},
              .rows = {}};
  Panel panel{.title = "beside one greedy cubic flow",
              .x_label = "seed",
              .y_label = "share of the fair rate",
              .y_range = {{0, 2}},
              .series = {}};
  for (const Line& line : kAll) {
    for (const Setting& setting : kSettings) {
      const Found found = found_in(line, setting, results);
      const BySeed::Value least = found.share.least();
      table.rows.push_back({std::string(line.name), std::string(setting.name),
                            static_cast<double>(found.share.count()), cell(found.used.median()),
                            cell(found.share.median()), cell(least.value), least.seed_cell(),
                            cell(found.keeps.median()), cell(found.median_ms.median()),
                            cell(found.median_ms.greatest().value), cell(found.p99_ms.median())});
      if (setting.beside_cubic && !found.share.empty()) {
        panel.series.push_back(found.share.marks(line.name));
      }
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(
      {.name = "lines", .title = "On lines of many kinds, by seed", .panels = {std::move(panel)}});
  return outcome;
}

}  // namespace
}  // namespace lines

const Experiment kLines = {.name = "lines",
                           .title = "On lines of many kinds",
                           .source = "",
                           .plan = lines::plan,
                           .evaluate = lines::evaluate};

}  // namespace qvid::lab
