// Article figure 6: what importance does to the latency of messages.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace importance {
namespace {

std::vector<const char*> senders() { return with_quic({"none", "adapt+fo", "pace+fo", "lowat"}); }

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const char* sender : senders()) {
    RunSpec run{.name = sender, .link = "rate=12mbit delay=15ms queue=60ms"};
    run.flows = {
        {.sender = sender, .rate = DataRate::from_kbps(4000), .window = 500ms, .count = 8}};
    set_length(run, {.brief = 75s, .warm_up = 10s}, options);
    runs.push_back(std::move(run));
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  const std::vector<const char*> all = senders();
  Outcome outcome;
  outcome.conditions =
      "8 videos of 4 Mbit/s over 12 Mbit/s, 30 ms of round trip, drop-tail of 90 kB; a message is "
      "cancelled 500 ms after its capture. Latency: from capture to delivery, of those delivered, "
      "by "
      "layer; the base is the most important.";
  Table table{.title = "Latency of messages by importance, median / 99.9%, ms",
              .source = "002 figure 6",
              .columns = {{.name = "layer"},
                          {.name = "TCP, median", .paper = true},
                          {.name = "TCP, 99.9%", .paper = true},
                          {.name = "Paceline, median", .paper = true},
                          {.name = "Paceline, 99.9%", .paper = true}},
              .rows = {}};
  Panel median{.title = "Median", .x_label = "layer", .y_label = "ms", .series = {}};
  Panel tail{.title = "99.9%", .x_label = "layer", .y_label = "ms", .series = {}};
  median.series = {
      {.name = "TCP, base", .points = {{0, 275}}, .style = Series::Style::kPoints, .paper = true},
      {.name = "Paceline, base",
       .points = {{0, 75}},
       .style = Series::Style::kPoints,
       .paper = true}};
  tail.series = {{.name = "Paceline, all",
                  .points = {{0, 400}, {kLayers - 1, 400}},
                  .style = Series::Style::kPoints,
                  .paper = true}};
  for (const char* sender : all) {
    table.columns.push_back({.name = sender});
    median.series.push_back({.name = sender, .points = {}});
    tail.series.push_back({.name = sender, .points = {}});
  }
  for (std::size_t layer = 0; layer < kLayers; ++layer) {
    std::vector<Cell> row = {static_cast<double>(layer), layer == 0 ? Cell(275.0) : Cell(),
                             std::string("over 1000"), layer == 0 ? Cell(75.0) : Cell(), 400.0};
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<double> delays;
      if (const RunResult* run = run_named(results, all[i])) {
        for (const FlowResult& flow : run->flows) {
          const auto& of = flow.video.delays_ms[layer];
          delays.insert(delays.end(), of.begin(), of.end());
        }
      }
      if (delays.empty()) {
        row.emplace_back(std::string("none came"));
        continue;
      }
      const double half = percentile(delays, .5);
      const double most = percentile(delays, .999);
      row.emplace_back(fmt::format("{:.0f} / {:.0f}", half, most));
      median.series[i + 2].points.emplace_back(static_cast<double>(layer), half);
      tail.series[i + 1].points.emplace_back(static_cast<double>(layer), most);
    }
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "importance",
                           .title = "Latency by importance",
                           .panels = {std::move(median), std::move(tail)}});
  outcome.notes = {
      "The article's figures are not published as numbers; these are from its text: Paceline's "
      "median "
      "very close to the one-way delay (75 ms) for more important data, and its 99.9% close to 400 "
      "ms "
      "for all; TCP's median well above the expected latency (\"i.e., 275 ms\"), and its 99.9% "
      "over a "
      "second for most, up to 1.8 s. It does not name its bound.",
      "Latency is of what was delivered: a layer that is mostly cancelled shows its lucky ones.",
      quic_note()};
  return outcome;
}

}  // namespace
}  // namespace importance

const Experiment kImportance = {.name = "importance",
                                .title = "Latency by importance",
                                .source = "002 figure 6",
                                .plan = importance::plan,
                                .evaluate = importance::evaluate};

}  // namespace qvid::lab
