// What each structure of layers shows on steady links and on one that falls and rises, beside what the
// encoder chooses: from glass to glass (glass.cc). Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/experiments/papers/glass_measure.h"
#include "lab/experiments/papers/glass_scenarios.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/glass/glass_figures.h"

namespace qvid::lab {
namespace layers {
namespace {

constexpr double kNearTheBest = 1;  // dB
constexpr double kSteadySeconds = 20;

struct Link {
  double mbps;
  GlassScenario scenario;
};

// Of two bandwidth-delay products, but for the first.
constexpr std::array<Link, 6> kLinks = {{{.3,
                                          {.name = "0.3",
                                           .title = "0.3 Mbit/s",
                                           .link = "rate=300kbit delay=20ms queue=3750B",
                                           .seconds = kSteadySeconds}},
                                         {.6,
                                          {.name = "0.6",
                                           .title = "0.6 Mbit/s",
                                           .link = "rate=600kbit delay=20ms queue=6000B",
                                           .seconds = kSteadySeconds}},
                                         {1,
                                          {.name = "1",
                                           .title = "1 Mbit/s",
                                           .link = "rate=1mbit delay=20ms queue=10000B",
                                           .seconds = kSteadySeconds}},
                                         {2,
                                          {.name = "2",
                                           .title = "2 Mbit/s",
                                           .link = "rate=2mbit delay=20ms queue=20000B",
                                           .seconds = kSteadySeconds}},
                                         {4,
                                          {.name = "4",
                                           .title = "4 Mbit/s",
                                           .link = "rate=4mbit delay=20ms queue=40000B",
                                           .seconds = kSteadySeconds}},
                                         {0,
                                          {.name = "fall",
                                           .title = "4, 0.6 and 4 Mbit/s, 10 s each",
                                           .link = "rate=4mbit delay=20ms queue=40000B",
                                           .seconds = 30,
                                           .steady = false,
                                           .low = 0.6,
                                           .from = 10,
                                           .until = 20}}}};

constexpr std::string_view kChosen = "auto";
constexpr std::string_view kOther = "av1";

constexpr GlassProduct h264(std::string_view layers) {
  return {.name = layers,
          .title = layers,
          .between = BetweenDisplays::kProduct,
          .codec = "h264",
          .layers = layers};
}
constexpr std::array<GlassProduct, 5> kStructures = {
    {h264(kChosen),
     h264("whole"),
     h264("small"),
     h264("both"),
     {.name = kOther, .title = kOther, .between = BetweenDisplays::kProduct, .codec = kOther}}};

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Link& link : kLinks) {
    for (const GlassProduct& structure : kStructures) {
      runs.push_back(glass_run(link.scenario, structure, glass_lead(options), options));
    }
  }
  return runs;
}

const RunResult* seen_run(std::span<const RunResult> results, const Link& link,
                          const GlassProduct& structure) {
  const RunResult* const run = run_named(results, glass_run_name(link.scenario, structure));
  return run != nullptr && was_seen(*run) ? run : nullptr;
}

using Measure = std::function<double(const RunResult&)>;

GlassFigures figures(const RunResult& run) { return glass_figures(run.glass, measured_of(run)); }

bool was_chosen(std::span<const RunResult> results, const Link& link) {
  return std::ranges::any_of(results, [&](const RunResult& run) {
    return run.spec.name.starts_with(fmt::format("{} ", link.scenario.name));
  });
}

// A row a link that was chosen, a column a structure.
Table table_of(std::span<const RunResult> results, std::string title, int decimals,
               const Measure& measure) {
  Table table{.title = std::move(title), .columns = {{.name = "link"}}, .rows = {}};
  for (const GlassProduct& structure : kStructures) {
    table.columns.push_back({.name = std::string(structure.title), .decimals = decimals});
  }
  for (const Link& link : kLinks) {
    if (!was_chosen(results, link)) continue;
    std::vector<Cell> row{std::string(link.scenario.title)};
    for (const GlassProduct& structure : kStructures) {
      const RunResult* const run = seen_run(results, link, structure);
      row.push_back(run != nullptr ? cell(measure(*run)) : Cell());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Series line_of(std::span<const RunResult> results, const GlassProduct& structure) {
  Series line{.name = std::string(structure.title), .points = {}};
  for (const Link& link : kLinks) {
    const RunResult* const run = seen_run(results, link, structure);
    if (run != nullptr && link.mbps > 0) line.points.emplace_back(link.mbps, figures(*run).psnr);
  }
  return line;
}

void judge(std::span<const RunResult> results, const Link& link, Outcome& outcome) {
  std::optional<double> chosen;
  std::optional<double> best;
  for (const GlassProduct& structure : kStructures) {
    const RunResult* const run = seen_run(results, link, structure);
    if (run == nullptr || structure.name == kOther) continue;
    const double psnr = figures(*run).psnr;
    (structure.name == kChosen ? chosen : best) =
        structure.name == kChosen ? psnr : std::max(psnr, best.value_or(psnr));
  }
  const std::string title(link.scenario.title);
  if (chosen && best && link.mbps > 0) {
    outcome.targets.push_back({.what = title + ": auto under the best of the others, dB",
                               .wanted = kNearTheBest,
                               .got = *best - *chosen});
  }
  if (const RunResult* const run = seen_run(results, link, kStructures[0]); run && link.mbps <= 0) {
    outcome.targets.push_back({.what = title + ": auto, freezes over 200 ms",
                               .wanted = 0,
                               .got = static_cast<double>(figures(*run).freezes)});
  }
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = fmt::format(
      "As `glass`: a clock of 640x400 at 29.7 pictures a second, 'qvid serve screen --layers ...' and "
      "'qvid play', read off the display. Links of 40 ms of round trip, one run each, {:.0f} s "
      "before the measured time. auto: what the encoder of h264 chooses; whole: one layer of the full "
      "size; small: one of half the size; both: a base of half the size, and the full size; av1: "
      "its one layer.",
      to_seconds(glass_lead(options)));
  outcome.tables = {
      table_of(results, "PSNR of the luma, mean, dB", 1,
               [](const RunResult& run) { return figures(run).psnr; }),
      table_of(results, "Pictures a second", 1,
               [](const RunResult& run) { return figures(run).pictures_a_second; }),
      table_of(results, "Delay, 95%, ms", 0,
               [](const RunResult& run) { return percentile(figures(run).delays_ms, .95); }),
      table_of(results, "Longest time without a new picture, ms", 0,
               [](const RunResult& run) { return figures(run).longest_freeze_ms; }),
      table_of(results, "Sent, Mbit/s", 2, sent_mbps)};
  Panel psnr{.title = "Steady links",
             .x_label = "Mbit/s",
             .y_label = "PSNR, dB",
             .log_x = true,
             .series = {}};
  for (const GlassProduct& structure : kStructures) {
    psnr.series.push_back(line_of(results, structure));
  }
  outcome.plots.push_back(
      {.name = "layers", .title = "What each structure shows", .panels = {std::move(psnr)}});
  for (const Link& link : kLinks) judge(results, link, outcome);
  return outcome;
}

}  // namespace
}  // namespace layers

const Experiment kLayersShown = {.name = "layers",
                                 .title = "What each structure of layers shows",
                                 .source = "",
                                 .plan = layers::plan,
                                 .evaluate = layers::evaluate};

}  // namespace qvid::lab
