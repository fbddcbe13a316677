// What 25 flows take at chance losses: datagrams behind Reno's window beside TCP, as the thesis has
// it, and the product.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace mtp {
namespace {

constexpr std::array<const char*, 3> kLosses = {"1%", "5%", "10%"};
constexpr std::array<const char*, 4> kSenders = {"reno", "cubic", "mtp+udp", "pace+udp"};
constexpr std::size_t kFlows = 25;
// Packets of TCP as long as the others': what chance losses let through goes by packets.
constexpr std::uint32_t kSegment = 1396;
constexpr double kEqual = .15;  // of TCP's: the two are nearly identical in the figure

std::string name_of(const char* sender, const char* loss) {
  return fmt::format("{}, {}", sender, loss);
}

bool is_tcp(std::string_view sender) { return !sender.ends_with("+udp"); }

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const char* loss : kLosses) {
    for (const char* sender : kSenders) {
      RunSpec run{.name = name_of(sender, loss),
                  .link = fmt::format(
                      "rate=100mbit delay=155ms queue=300ms up:loss={} down:loss=10%", loss)};
      run.flows = {{.sender = sender,
                    .workload = Workload::kGreedy,
                    .count = kFlows,
                    .segment = is_tcp(sender) ? kSegment : 0}};
      set_length(run, {.brief = 32s, .warm_up = 10s, .full = 210s, .full_warm_up = 10s}, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = fmt::format(
      "{} greedy flows over 100 Mbit/s and 310 ms of round trip; packets are lost by chance, on the "
      "way back one in ten. What arrives of all together. TCP's packets are as long as the others'.",
      kFlows);
  Table table{.title = "25 flows at chance losses",
              .source = "004 section 5.2.1.3, figure 5.19",
              .columns = {{.name = "loss"}},
              .rows = {}};
  for (const char* sender : kSenders) {
    table.columns.push_back({.name = fmt::format("{}, Mbit/s", sender), .decimals = 2});
  }
  table.columns.push_back({.name = "mtp / reno", .decimals = 2});
  Panel panel{
      .title = "25 flows together", .x_label = "loss, %", .y_label = "Mbit/s", .series = {}};
  for (const char* sender : kSenders) panel.series.push_back({.name = sender, .points = {}});
  for (const char* loss : kLosses) {
    std::vector<Cell> row = {std::string(loss)};
    std::array<double, kSenders.size()> rates{};
    for (std::size_t i = 0; i < kSenders.size(); ++i) {
      const RunResult* run = run_named(results, name_of(kSenders[i], loss));
      rates[i] = run ? throughput_bps(*run, of_group(kSenders[i])) / 1e6 : kNothingMeasured;
      row.push_back(cell(rates[i]));
      if (run) panel.series[i].points.emplace_back(std::stod(loss), rates[i]);
    }
    const double ratio = rates[2] / rates[0];
    row.push_back(cell(ratio));
    table.rows.push_back(std::move(row));
    if (std::isnan(ratio)) continue;
    for (const bool least : {true, false}) {
      outcome.targets.push_back({.what = fmt::format("25 of mtp beside 25 of reno, {}", loss),
                                 .wanted = least ? 1 - kEqual : 1 + kEqual,
                                 .at_least = least,
                                 .got = ratio,
                                 .reason = ""});
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(
      {.name = "mtp", .title = "25 flows at chance losses", .panels = {std::move(panel)}});
  outcome.notes = {
      "004 simulates round trips of 140 to 480 ms, one for each flow; here all have their mean. Its "
      "TCP is Reno without selective acknowledgements; this kernel's has them."};
  return outcome;
}

}  // namespace
}  // namespace mtp

const Experiment kMtp = {.name = "mtp",
                         .title = "Datagrams behind Reno's window",
                         .source = "004 figure 5.19",
                         .plan = mtp::plan,
                         .evaluate = mtp::evaluate};

}  // namespace qvid::lab
