// Thesis table 3.2: when does TCP without a latency controller become unusable? 2, 4 and 8 videos.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace latency_tcp {
namespace {

struct Published {
  std::size_t flows;
  double median, p999, worst;  // ms, table 3.2
};
constexpr std::array<Published, 3> kPublished = {
    {{2, 51.9, 65.8, 65.8}, {4, 452.5, 879.8, 960.2}, {8, 591.1, 2588.5, 3245.0}}};
constexpr std::array<const char*, 2> kSenders = {"none", "pace+fo"};

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Published& p : kPublished) {
    for (const char* sender : kSenders) {
      RunSpec run{.name = fmt::format("{} {}", p.flows, sender), .link = std::string(kThesisLink)};
      run.flows = {{.sender = sender, .count = p.flows}};
      set_length(run, {.brief = 40s, .warm_up = 8s}, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "2, 4 and 8 videos of 5 Mbit/s over 16 Mbit/s, 30 ms of round trip, drop-tail of 120 kB. Two "
      "of "
      "them fit. Oldest unacked as in the experiments above.";
  Table table{.title = "Two, four and eight flows",
              .source = "000 table 3.2",
              .columns = {{.name = "flows"},
                          {.name = "TCP: median, ms", .paper = true},
                          {.name = "99.9%, ms", .paper = true},
                          {.name = "worst, ms", .paper = true}},
              .rows = {}};
  for (const char* sender : kSenders) {
    for (const char* measure : {"median", "99.9%", "worst"}) {
      table.columns.push_back({.name = fmt::format("{}: {}, ms", sender, measure)});
    }
  }
  for (const Published& p : kPublished) {
    std::vector<Cell> row = {static_cast<double>(p.flows), p.median, p.p999, p.worst};
    for (const char* sender : kSenders) {
      if (const RunResult* run = run_named(results, fmt::format("{} {}", p.flows, sender))) {
        const std::vector<double> ages = oldest_unacked_ms(*run, of_group(""));
        row.insert(row.end(), {percentile(ages, .5), percentile(ages, .999), percentile(ages, 1)});
      } else {
        row.insert(row.end(), 3, kNothing);
      }
    }
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  return outcome;
}

}  // namespace
}  // namespace latency_tcp

const Experiment kLatencyTcp = {.name = "latency-tcp",
                                .title = "When TCP becomes unusable",
                                .source = "000 table 3.2",
                                .plan = latency_tcp::plan,
                                .evaluate = latency_tcp::evaluate};

}  // namespace qvid::lab
