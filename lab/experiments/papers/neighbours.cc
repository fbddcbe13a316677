// One greedy flow of pace beside what people meet on a line: its share, its delay, and what the
// neighbour keeps; by seeds and by windows of ten seconds. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/experiments/papers/by_seed.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace neighbours {
namespace {

constexpr Duration kWindow = 10s;
constexpr std::size_t kMostWindows = 4;
constexpr std::size_t kBriefSeeds = 1;
constexpr std::size_t kFullSeeds = 20;

constexpr const char* kLine2 = "rate=2mbit delay=15ms queue=60ms";
constexpr const char* kLine2Deep = "rate=2mbit delay=15ms queue=1s";
constexpr const char* kLine6 = "rate=6mbit delay=40ms queue=100ms";

struct Setting {
  const char* name;
  std::string_view link;
  std::vector<FlowSpec> neighbours;
  FlowSpec ours = {.group = "ours", .sender = "pace+fo", .workload = Workload::kGreedy};
  Duration warm_up = 5s;
  Duration duration = 45s;
  double share = 0;       // wanted at the least; zero: only told
  double keeps = 0;       // of its own share, wanted of the neighbour at the least
  std::size_t settled{};  // windows before `share` is wanted, of each that follows; 0: of the whole
  double median_ms = 0;   // wanted at the most
  double left_over = 0;   // of what the neighbour leaves, wanted at the least

  bool only_told() const { return share + keeps + median_ms + left_over <= 0; }
  // What comes and goes takes no share; what of the line it leaves is ours.
  bool leaves_the_rest() const { return neighbours[0].workload != Workload::kGreedy; }
};

FlowSpec greedy(const char* sender, Duration start = {}, Duration stop = Duration::max(),
                Duration farther = {}) {
  return {.group = "neighbour",
          .sender = sender,
          .workload = Workload::kGreedy,
          .start = start,
          .stop = stop,
          .farther = farther};
}
// A user reads for 7 s between two pages of about 10 kB: 10 kbit/s of the line.
FlowSpec web(std::size_t users) {
  return {.group = "neighbour", .sender = "cubic", .workload = Workload::kWeb, .count = users};
}
FlowSpec chunks(DataRate rate) {
  return {.group = "neighbour", .sender = "cubic", .workload = Workload::kChunks, .rate = rate};
}

Setting duel(const char* name, std::string_view link, double share) {
  return {.name = name, .link = link, .neighbours = {greedy("cubic")}, .share = share, .keeps = .8};
}
// Somebody is there from the begin, and somebody comes at `kComes`.
constexpr Duration kComes = 15s;
Setting cubic_comes(const char* name, std::string_view link) {
  return {.name = name,
          .link = link,
          .neighbours = {greedy("cubic", kComes)},
          .warm_up = kComes + 1s,
          .duration = kComes + 41s,
          .share = .6,
          .settled = 1};
}
Setting pace_comes(const char* name, std::string_view link) {
  Setting setting = cubic_comes(name, link);
  std::swap(setting.ours.start, setting.neighbours[0].start);
  setting.share = .5;
  setting.settled = 2;
  return setting;
}

// What TCP itself gets where it comes late.
Setting cubic_comes_to_cubic(const char* name, std::string_view link) {
  Setting setting = pace_comes(name, link);
  setting.ours.sender = "cubic";
  setting.share = 0;
  setting.settled = 0;
  return setting;
}

// Cubic flows of 10, 100 and 300 ms of round trip, and ours of 30.
Setting three_distances(const char* name, const char* sender) {
  Setting setting{.name = name,
                  .link = "rate=16mbit delay=5ms queue=60ms",
                  .neighbours = {greedy("cubic"), greedy("cubic", {}, Duration::max(), 90ms),
                                 greedy("cubic", {}, Duration::max(), 290ms)}};
  setting.ours.sender = sender;
  setting.ours.farther = 20ms;
  return setting;
}
// A download's acknowledgements take about 0.3 Mbit/s of the way up.
Setting acknowledgements(const char* name, const char* sender) {
  Setting setting{
      .name = name,
      .link = "down:rate=16mbit down:queue=100ms up:rate=400kbit up:queue=300ms delay=15ms",
      .neighbours = {{.group = "neighbour", .sender = "cubic", .workload = Workload::kDownload}}};
  setting.ours.sender = sender;
  return setting;
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      duel("cubic, 16 Mbit/s", kThesisLink, .7),
      duel("cubic, 6 Mbit/s", kLine6, .7),
      duel("cubic, 2 Mbit/s", kLine2, .7),
      duel("cubic, 2 Mbit/s and 1 s", kLine2Deep, .6),
      cubic_comes("cubic that comes, 16 Mbit/s", kThesisLink),
      cubic_comes("cubic that comes, 6 Mbit/s", kLine6),
      cubic_comes("cubic that comes, 2 Mbit/s", kLine2),
      cubic_comes("cubic that comes, 2 Mbit/s and 1 s", kLine2Deep),
      pace_comes("cubic that was there, 16 Mbit/s", kThesisLink),
      pace_comes("cubic that was there, 6 Mbit/s", kLine6),
      pace_comes("cubic that was there, 2 Mbit/s", kLine2),
      pace_comes("cubic that was there, 2 Mbit/s and 1 s", kLine2Deep),
      cubic_comes_to_cubic("cubic that was there, 2 Mbit/s and 1 s; cubic in our place",
                           kLine2Deep),
      {.name = "bbr, 16 Mbit/s", .link = kThesisLink, .neighbours = {greedy("bbr")}, .share = .4},
      {.name = "bbr, 2 Mbit/s", .link = kLine2, .neighbours = {greedy("bbr")}, .share = .4},
      {.name = "reno, 2 Mbit/s", .link = kLine2, .neighbours = {greedy("reno")}},
      {.name = "cubic that left, 16 Mbit/s",
       .link = kThesisLink,
       .neighbours = {greedy("cubic", 5s, 25s)},
       .warm_up = 36s,
       .duration = 56s,
       .median_ms = 60},
      {.name = "web, 30 % of 2 Mbit/s", .link = kLine2, .neighbours = {web(60)}},
      {.name = "web, 60 % of 2 Mbit/s",
       .link = kLine2,
       .neighbours = {web(120)},
       .median_ms = 70,
       .left_over = .8},
      {.name = "web, 90 % of 2 Mbit/s", .link = kLine2, .neighbours = {web(180)}},
      {.name = "video chunks, 6 Mbit/s",
       .link = kLine6,
       .neighbours = {chunks(DataRate::from_kbps(3000))}},
      three_distances("three cubic, 10, 100 and 300 ms", "pace+fo"),
      three_distances("three cubic, 10, 100 and 300 ms; cubic in our place", "cubic"),
      acknowledgements("acknowledgements, 0.4 Mbit/s", "pace+fo"),
      acknowledgements("acknowledgements, 0.4 Mbit/s; cubic in our place", "cubic"),
      {.name = "pulses at our dips, 16 Mbit/s",
       .link = kThesisLink,
       .neighbours = {{.group = "neighbour",
                       .sender = "udp",
                       .workload = Workload::kPulses,
                       .rate = DataRate::from_kbps(16'000)}}},
  };
  return all;
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  const std::size_t all = seeds_of(options, kBriefSeeds, kFullSeeds);
  for (const Setting& s : settings()) {
    RunSpec run{.name = s.name, .link = std::string(s.link)};
    run.flows = {s.ours};
    run.flows.insert(run.flows.end(), s.neighbours.begin(), s.neighbours.end());
    run.warm_up = s.warm_up;
    run.duration = s.duration;
    add_with_seeds(runs, run, s.only_told() ? (all + 1) / 2 : all, options);
  }
  return runs;
}

// What all seeds of a setting came to.
struct Found {
  BySeed share;
  BySeed keeps;
  BySeed median_ms;
  BySeed p99_ms;
  BySeed left_over;
  BySeed neighbour_mbps;
  BySeed transfer_ms;  // of web pages' objects and chunks, median
  std::vector<BySeed> windows;
};

Found found_in(const Setting& setting, std::span<const RunResult> results) {
  Found found;
  for (const RunResult* run : of_all_seeds(results, setting.name)) {
    const std::uint64_t seed = run->spec.seed;
    const Duration all = run->spec.duration - run->spec.warm_up;
    found.share.add(seed, mean(shares(*run, of_group("ours"), all)));
    found.keeps.add(seed, mean(shares(*run, of_group("neighbour"), all)));
    found.neighbour_mbps.add(seed, throughput_bps(*run, of_group("neighbour")) / 1e6);
    const std::vector<double> ages = oldest_unacked_ms(*run, of_group("ours"));
    found.median_ms.add(seed, percentile(ages, .5));
    found.p99_ms.add(seed, percentile(ages, .99));
    if (setting.leaves_the_rest() && setting.neighbours[0].workload != Workload::kDownload) {
      found.left_over.add(seed,
                          throughput_bps(*run, of_group("ours")) /
                              (capacity_bps(*run) - throughput_bps(*run, of_group("neighbour"))));
      found.transfer_ms.add(seed, percentile(transfers_ms(*run), .5));
    }
    const std::vector<double> windows = shares(*run, of_group("ours"), kWindow);
    for (std::size_t i = 0; i < std::min(windows.size(), kMostWindows); ++i) {
      if (found.windows.size() <= i) found.windows.emplace_back();
      found.windows[i].add(seed, windows[i]);
    }
  }
  return found;
}

void judge(Outcome& outcome, const Setting& s, const Found& found) {
  if (found.share.empty()) return;
  const auto at_least = [&](const char* what, double wanted, double got) {
    outcome.targets.push_back({.what = fmt::format("pace beside {}: {}", s.name, what),
                               .wanted = wanted,
                               .at_least = true,
                               .got = got});
  };
  if (s.share > 0 && s.settled == 0) {
    at_least("share, median of the seeds", s.share, found.share.median());
  }
  if (s.settled > 0) {
    std::vector<double> medians;
    for (std::size_t i = s.settled; i < found.windows.size(); ++i) {
      medians.push_back(found.windows[i].median());
    }
    const double least = percentile(std::move(medians), 0);
    at_least(s.settled == 1 ? "share, median of the seeds, in the worst 10 s from the second on"
                            : "share, median of the seeds, in the worst 10 s from the third on",
             s.share, least);
  }
  if (s.keeps > 0) {
    at_least("what it keeps of its share, median of the seeds", s.keeps, found.keeps.median());
  }
  if (s.left_over > 0) {
    at_least("of what is left, median of the seeds", s.left_over, found.left_over.median());
  }
  if (s.median_ms > 0) {
    outcome.targets.push_back(
        {.what =
             fmt::format("pace beside {}: median oldest unacked, median of the seeds, ms", s.name),
         .wanted = s.median_ms,
         .got = found.median_ms.median()});
  }
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "One greedy flow of `pace+fo` beside a neighbour, or where it is said cubic in its place. Lines of 16 "
      "and 2 Mbit/s have 30 ms of round trip and a queue of 60 ms (one of 1 s), that of 6 Mbit/s 80 and 100 ms. "
      "Both begin within half a second, and 40 s after the fifth are measured. One that comes does so at 15 s, "
      "one that was there has pace come then: 40 s from the 16th on. One that left was there from 5 to 25 s: "
      "20 s from the 36th on. Shares are of the fair rate of greedy flows, the line's over their number: beside "
      "web, chunks, one that left, acknowledgements and pulses of all of it. Medians are of the seeds. What is "
      "left is the line's rate less the neighbour's content, whose headers nobody gets: all of it cannot be had. "
      "Web: 60, 120 and 180 users who read for 7 s between two pages of two objects (Pareto, mean 5 kB). Video "
      "chunks: 4 s of 3 Mbit/s each 4 s, as fast as TCP brings it. Three cubic: ours has 30 ms of round trip, "
      "on 16 Mbit/s and 60 ms of queue. Acknowledgements: of a greedy download on 16 Mbit/s, on a way up of 0.4 "
      "Mbit/s, 30 ms and 300 ms of queue; the neighbour's Mbit/s are the download's. Pulses: UDP with the line's rate for "
      "250 ms after each 5 s of the wall's clock, which is when flows of pace look whether the queue is empty. "
      "What has no target is made with half of the seeds.";
  Table table{.title = "Beside a neighbour",
              .columns = {{.name = "neighbour"},
                          {.name = "seeds"},
                          {.name = "share, median", .decimals = 2},
                          {.name = "least", .decimals = 2},
                          {.name = "its seed"},
                          {.name = "the neighbour's share", .decimals = 2},
                          {.name = "least", .decimals = 2},
                          {.name = "its Mbit/s", .decimals = 2},
                          {.name = "its transfers, median, ms"},
                          {.name = "of what is left", .decimals = 2},
                          {.name = "oldest unacked, median, ms"},
                          {.name = "its worst seed's, ms"},
                          {.name = "99%, ms"}},
              .rows = {}};
  Table windows{
      .title = "Share in each 10 s of the measured time, median of the seeds and the least",
      .columns = {{.name = "neighbour"}},
      .rows = {}};
  for (std::size_t i = 1; i <= kMostWindows; ++i) {
    windows.columns.push_back({.name = fmt::format("window {}", i), .decimals = 2});
    windows.columns.push_back({.name = "least", .decimals = 2});
  }
  Table seeds{.title = "Share by seed",
              .columns = {{.name = "neighbour"}, {.name = "seed: share"}},
              .rows = {}};
  Panel panel{.title = "beside one greedy cubic flow, from a common start",
              .x_label = "seed",
              .y_label = "share of the fair rate",
              .y_range = {{0, 2}},
              .series = {}};
  for (const Setting& s : settings()) {
    const Found found = found_in(s, results);
    const BySeed::Value least = found.share.least();
    std::vector<Cell> row = {std::string(s.name),
                             static_cast<double>(found.share.count()),
                             cell(found.share.median()),
                             cell(least.value),
                             least.seed_cell(),
                             cell(found.keeps.median()),
                             cell(found.keeps.least().value),
                             cell(found.neighbour_mbps.median()),
                             cell(found.transfer_ms.median()),
                             cell(found.left_over.median()),
                             cell(found.median_ms.median()),
                             cell(found.median_ms.greatest().value),
                             cell(found.p99_ms.median())};
    table.rows.push_back(std::move(row));
    std::vector<Cell> in_time = {std::string(s.name)};
    for (const BySeed& window : found.windows) {
      in_time.push_back(cell(window.median()));
      in_time.push_back(cell(window.least().value));
    }
    in_time.resize(windows.columns.size());
    windows.rows.push_back(std::move(in_time));
    seeds.rows.push_back({std::string(s.name), found.share.text()});
    judge(outcome, s, found);
    if (s.keeps > 0 && !found.share.empty()) {
      panel.series.push_back(found.share.marks(s.name));
    }
  }
  outcome.tables = {std::move(table), std::move(windows), std::move(seeds)};
  outcome.plots.push_back({.name = "neighbours",
                           .title = "What a flow of pace gets, by seed",
                           .panels = {std::move(panel)}});
  return outcome;
}

}  // namespace
}  // namespace neighbours

const Experiment kNeighbours = {.name = "neighbours",
                                .title = "Beside what people meet on a line",
                                .source = "",
                                .plan = neighbours::plan,
                                .evaluate = neighbours::evaluate};

}  // namespace qvid::lab
