// 003 figures 4.4 to 4.11: who gets how much of a crowded link, by the size of segments.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace segments {
namespace {

constexpr std::array<std::size_t, 4> kFlows = {50, 100, 200, 400};
constexpr std::array<std::uint32_t, 4> kPackets = {1500, 1000, 500, 250};  // bytes, with headers
constexpr std::uint32_t kHeaders = 40;                                     // IPv4 and TCP

std::string name_of(std::size_t flows, std::uint32_t packet) {
  return fmt::format("{} flows, {} B", flows, packet);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const std::size_t flows : kFlows) {
    for (const std::uint32_t packet : kPackets) {
      RunSpec run{.name = name_of(flows, packet), .link = "rate=25mbit delay=20ms queue=187500B"};
      run.flows = {{.sender = "reno",
                    .workload = Workload::kGreedy,
                    .count = flows,
                    .segment = packet - kHeaders}};
      set_length(run, {.brief = 21s, .warm_up = 8s, .full = 120s, .full_warm_up = 20s}, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "50 to 400 greedy reno flows over 25 Mbit/s, 40 ms of round trip, drop-tail of 187.5 kB (003 "
      "section "
      "4.3.1's link; its 125 packets of 1500 bytes), with segments that make packets of 1500 to "
      "250 bytes. Share: of "
      "throughput, over windows of 1 and 10 s.";
  Table table{
      .title = "Part of flows and windows that starve, and that have at most half of their share",
      .source = "003 figures 4.4 to 4.11",
      .columns = {{.name = "flows"},
                  {.name = "packet, B"},
                  {.name = "starve, 1 s", .decimals = 2, .paper = true},
                  {.name = "starve, 10 s", .decimals = 2, .paper = true},
                  {.name = "starve, 1 s", .decimals = 3},
                  {.name = "at most half, 1 s", .decimals = 2},
                  {.name = "starve, 10 s", .decimals = 3},
                  {.name = "at most half, 10 s", .decimals = 2},
                  {.name = "goodput, Mbit/s", .decimals = 2}},
      .rows = {}};
  Plot plot{.name = "segments", .title = "Share of the fair rate, windows of 1 s", .panels = {}};
  for (const std::size_t flows : kFlows) {
    Panel panel{.title = fmt::format("{} flows", flows),
                .x_label = "throughput / fair share",
                .y_label = "part of flows and windows",
                .x_range = {{0, 4}},
                .series = {}};
    for (const std::uint32_t packet : kPackets) {
      // What the text of 003 section 4.3.1 names.
      Cell paper_1s;
      Cell paper_10s;
      Cell paper_half;
      if (packet == 1500 && flows == 50) paper_half = .3;
      if (packet == 1500 && flows == 400) paper_1s = .5;
      if (packet == 1500 && flows == 200) paper_10s = .1;
      if (packet >= 1000 && flows == 400) paper_10s = std::string("over .20");
      std::vector<Cell> row = {static_cast<double>(flows), static_cast<double>(packet), paper_1s,
                               paper_half, paper_10s};
      if (const RunResult* run = run_named(results, name_of(flows, packet))) {
        const FlowFilter all = of_group("");
        for (const Duration window : {Duration(1s), Duration(10s)}) {
          const std::vector<double> of = shares(*run, all, window);
          const auto little = std::ranges::count_if(of, [](double s) { return s <= .5; });
          row.emplace_back(starved(*run, all, window));
          row.emplace_back(static_cast<double>(little) /
                           static_cast<double>(std::max<std::size_t>(1, of.size())));
        }
        row.emplace_back(throughput_bps(*run, all) / 1e6);
        panel.series.push_back(distribution(fmt::format("{} B", packet), shares(*run, all, 1s)));
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
    plot.panels.push_back(std::move(panel));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(std::move(plot));
  outcome.notes = {
      "003 simulated its flows with NS-2; its curves are not published as numbers, and of the "
      "text's "
      "words only those with a number are here. It says besides that packets of 500 and 250 bytes "
      "share nearly perfectly with 400 flows.",
      "003's queue held 125 packets of any size; ours holds their bytes, so that small packets "
      "have "
      "the same time in it.",
      "At the short length there is one window of 10 s.",
      "Fair share is of the link's rate: smaller packets spend more of it on headers (40 of 250 "
      "bytes)."};
  return outcome;
}

}  // namespace
}  // namespace segments

const Experiment kSegments = {.name = "segments",
                              .title = "Fair shares by segment size",
                              .source = "003 figures 4.4-4.11",
                              .plan = segments::plan,
                              .evaluate = segments::evaluate};

}  // namespace qvid::lab
