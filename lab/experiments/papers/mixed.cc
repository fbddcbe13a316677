// Thesis tables 3.5 and 4.5, figures 3.10 and 4.2: 16 flows of which a part is plain TCP.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace mixed {
namespace {

constexpr std::size_t kFlows = 16;
constexpr std::array<std::size_t, 4> kPlain = {0, 4, 8, 12};  // of the 16

struct Published {
  const char* sender;
  std::array<std::array<double, 3>, 4> median_p999_worst;  // ms, by part of plain TCP
};
constexpr std::array<Published, 3> kSenders = {{
    {"adapt",
     {{{178.8, 1159.8, 1990.6},
       {200.9, 1288.1, 1744.7},
       {214.9, 1470.2, 2732.4},
       {219.9, 1264.1, 1835.6}}}},
    {"adapt+fo",
     {{{179.4, 679.9, 892.5},
       {188.5, 699.6, 1069.8},
       {211.5, 732.6, 1012.3},
       {208.3, 827.3, 1178.5}}}},
    {"pace+fo", {}},
}};

constexpr const char* kLate =
    "single flows compete several seconds later than the others, and a share counts content that "
    "arrived, without what was cancelled half-way; docs/paceline.md";

std::string name_of(const char* sender, std::size_t plain) {
  return fmt::format("{}, {} of 16 plain", sender, plain);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Published& p : kSenders) {
    for (const std::size_t plain : kPlain) {
      RunSpec run{.name = name_of(p.sender, plain), .link = std::string(kThesisLink)};
      run.flows = {{.group = "ours", .sender = p.sender, .count = kFlows - plain}};
      if (plain > 0) {
        run.flows.push_back(
            {.group = "tcp", .sender = "cubic", .workload = Workload::kGreedy, .count = plain});
      }
      set_length(run, {.brief = 30s, .warm_up = 8s}, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

// Each flow's mean share over the measured time.
std::vector<double> mean_shares(const RunResult& run, std::string_view group) {
  return shares(run, of_group(group), run.spec.duration - run.spec.warm_up);
}

void judge(Outcome& outcome, std::size_t plain, double median, const std::vector<double>& ours,
           const std::vector<double>& tcp) {
  if (plain == 0) return;
  const std::string what = fmt::format("pace+fo beside {} of 16 cubic: ", plain);
  outcome.targets.push_back(
      {.what = what + "median oldest unacked, ms", .wanted = 130, .got = median});
  if (!ours.empty()) {
    outcome.targets.push_back({.what = what + "least share of a pace flow",
                               .wanted = .6,
                               .at_least = true,
                               .got = *std::ranges::min_element(ours),
                               .reason = kLate});
  }
  if (!tcp.empty()) {
    outcome.targets.push_back(
        {.what = what + "mean share of cubic", .wanted = .8, .at_least = true, .got = mean(tcp)});
  }
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "16 flows over 16 Mbit/s, 30 ms of round trip, drop-tail of 120 kB; 0, 4, 8 or 12 of them "
      "are "
      "greedy plain TCP (cubic), the others videos of 5 Mbit/s. Shares are of the fair rate, over "
      "the "
      "whole measured time; least and greatest are single flows.";
  Table table{.title = "16 flows, some of them plain TCP",
              .source = "000 tables 3.5 and 4.5",
              .columns = {{.name = "sender"},
                          {.name = "plain TCP, %"},
                          {.name = "median, ms", .paper = true},
                          {.name = "99.9%, ms", .paper = true},
                          {.name = "worst, ms", .paper = true},
                          {.name = "median, ms"},
                          {.name = "99.9%, ms"},
                          {.name = "worst, ms"},
                          {.name = "mean share", .decimals = 2},
                          {.name = "least", .decimals = 2},
                          {.name = "TCP's mean share", .decimals = 2},
                          {.name = "least", .decimals = 2}},
              .rows = {}};
  Panel delay{.title = "pace+fo: oldest unacked (thesis figure 4.2)",
              .x_label = "ms",
              .y_label = "part of the slots",
              .log_x = true,
              .series = {}};
  Panel share{.title = "8 of 16 plain TCP, 500 ms (figure 3.10)",
              .x_label = "throughput / fair share",
              .y_label = "part of flows and slots",
              .x_range = {{0, 3}},
              .series = {}};
  for (const Published& p : kSenders) {
    for (std::size_t i = 0; i < kPlain.size(); ++i) {
      const std::size_t plain = kPlain[i];
      const auto& published = p.median_p999_worst[i];
      std::vector<Cell> row = {std::string(p.sender), 100.0 * static_cast<double>(plain) / kFlows};
      for (const double value : published) {
        row.push_back(value > 0 ? Cell(value) : Cell());
      }
      if (p.sender == std::string_view("adapt+fo")) {
        delay.series.push_back({.name = fmt::format("adapt+fo, {} of 16", plain),
                                .points = {{published[0], .5}, {published[1], .999}},
                                .style = Series::Style::kPoints,
                                .paper = true});
      }
      if (const RunResult* run = run_named(results, name_of(p.sender, plain))) {
        const std::vector<double> ages = oldest_unacked_ms(*run, of_group("ours"));
        const std::vector<double> ours = mean_shares(*run, "ours");
        const std::vector<double> tcp = mean_shares(*run, "tcp");
        const double median = percentile(ages, .5);
        row.insert(row.end(), {median, percentile(ages, .999), percentile(ages, 1), mean(ours),
                               percentile(ours, 0)});
        if (!tcp.empty()) row.insert(row.end(), {mean(tcp), percentile(tcp, 0)});
        if (p.sender == std::string_view("pace+fo")) {
          judge(outcome, plain, median, ours, tcp);
          delay.series.push_back(distribution(fmt::format("{} of 16 plain", plain), ages));
        }
        if (plain == 8 && p.sender != std::string_view("adapt")) {
          share.series.push_back(distribution(p.sender, shares(*run, of_group("ours"), 500ms)));
          share.series.push_back(distribution(fmt::format("cubic beside {}", p.sender),
                                              shares(*run, of_group("tcp"), 500ms)));
        }
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "mixed",
                           .title = "16 flows, some of them plain TCP",
                           .panels = {std::move(delay), std::move(share)}});
  outcome.notes.push_back(
      "The thesis's plain TCP flows were videos without a latency controller; ours are greedy, "
      "which "
      "is harder.");
  return outcome;
}

}  // namespace
}  // namespace mixed

const Experiment kMixed = {.name = "mixed",
                           .title = "Beside plain TCP, 16 flows",
                           .source = "000 tables 3.5, 4.5, figures 3.10, 4.2",
                           .plan = mixed::plan,
                           .evaluate = mixed::evaluate};

}  // namespace qvid::lab
