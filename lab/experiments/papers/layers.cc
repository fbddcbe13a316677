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

constexpr double kNearTheBest = 1;   // dB
constexpr double kNearRivals = 0.5;  // dB
constexpr double kSteadySeconds = 15;

struct Link {
  double mbps;
  GlassScenario scenario;
};

// Of two bandwidth-delay products, but for the first two, which are those of `glass`.
constexpr std::array<Link, 7> kLinks = {{{.15,
                                          {.name = "0.15",
                                           .title = "0.15 Mbit/s",
                                           .link = "rate=150kbit delay=20ms queue=4312B",
                                           .seconds = kSteadySeconds}},
                                         {.3,
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

// A structure of a codec, or a rival.
struct Sent {
  GlassProduct product;
  bool chosen = false;  // the codec's encoder chooses the structure
};

constexpr Sent ours(std::string_view name, std::string_view codec, std::string_view layers) {
  return {.product = {.name = name,
                      .title = name,
                      .between = BetweenDisplays::kProduct,
                      .codec = codec,
                      .layers = layers},
          .chosen = layers == "auto"};
}
constexpr Sent rival(std::string_view name, std::string_view codec) {
  return {.product = {
              .name = name, .title = name, .between = BetweenDisplays::kWebRtcUdp, .codec = codec}};
}
constexpr std::array<Sent, 9> kSent = {
    ours("h264", "h264", "auto"),        ours("h264-whole", "h264", "whole"),
    ours("h264-small", "h264", "small"), ours("h264-both", "h264", "both"),
    ours("h264-three", "h264", "three"), ours("av1", "av1", "auto"),
    ours("av1-both", "av1", "both"),     rival("chromium-h264", "H264"),
    rival("chromium-vp9", "VP9")};

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Link& link : kLinks) {
    for (const Sent& sent : kSent) {
      runs.push_back(glass_run(link.scenario, sent.product, glass_lead(options), options));
    }
  }
  return runs;
}

const RunResult* seen_run(std::span<const RunResult> results, const Link& link, const Sent& sent) {
  const RunResult* const run = run_named(results, glass_run_name(link.scenario, sent.product));
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
  for (const Sent& sent : kSent) {
    table.columns.push_back({.name = std::string(sent.product.title), .decimals = decimals});
  }
  for (const Link& link : kLinks) {
    if (!was_chosen(results, link)) continue;
    std::vector<Cell> row{std::string(link.scenario.title)};
    for (const Sent& sent : kSent) {
      const RunResult* const run = seen_run(results, link, sent);
      row.push_back(run != nullptr ? cell(measure(*run)) : Cell());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Series line_of(std::span<const RunResult> results, const Sent& sent) {
  Series line{.name = std::string(sent.product.title), .points = {}};
  for (const Link& link : kLinks) {
    const RunResult* const run = seen_run(results, link, sent);
    if (run != nullptr && link.mbps > 0) line.points.emplace_back(link.mbps, figures(*run).psnr);
  }
  return line;
}

// What a codec's encoder chose, beside its other structures and the best of the rivals.
void judge(std::span<const RunResult> results, const Link& link, const Sent& chosen,
           Outcome& outcome) {
  const RunResult* const run = seen_run(results, link, chosen);
  if (run == nullptr) return;
  const std::string what = fmt::format("{}: {}", link.scenario.title, chosen.product.name);
  if (link.mbps <= 0) {
    outcome.targets.push_back({.what = what + ", freezes over 200 ms",
                               .wanted = 0,
                               .got = static_cast<double>(figures(*run).freezes)});
    return;
  }
  std::optional<double> best;
  std::optional<double> best_rival;
  for (const Sent& sent : kSent) {
    const RunResult* const other = seen_run(results, link, sent);
    if (other == nullptr || sent.chosen) continue;
    const bool is_rival = sent.product.between != BetweenDisplays::kProduct;
    if (!is_rival && sent.product.codec != chosen.product.codec) continue;
    auto& of = is_rival ? best_rival : best;
    of = std::max(figures(*other).psnr, of.value_or(0));
  }
  const double psnr = figures(*run).psnr;
  if (best) {
    outcome.targets.push_back({.what = what + " under the best of its structures, dB",
                               .wanted = kNearTheBest,
                               .got = *best - psnr});
  }
  if (best_rival) {
    outcome.targets.push_back(
        {.what = what + " under Chromium, dB", .wanted = kNearRivals, .got = *best_rival - psnr});
  }
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = fmt::format(
      "As `glass`: a clock of 640x400 at 29.7 pictures a second, 'qvid serve screen --codec ... --layers "
      "...' and 'qvid play', read off the display. Links of 40 ms of round trip, one run each, {:.0f} s "
      "before the measured time. h264, av1: the structure that the encoder chooses; whole: one layer "
      "of the full size; small: one of half the size; both: a base of half the size, and the full "
      "size; three: a base of a quarter below these. chromium: at both ends, WebRTC over UDP, with that "
      "codec.",
      to_seconds(glass_lead(options)));
  outcome.tables = {
      table_of(results, "PSNR of the luma, mean, dB", 1,
               [](const RunResult& run) { return figures(run).psnr; }),
      table_of(results, "SSIM of the luma, mean", 3,
               [](const RunResult& run) { return figures(run).ssim; }),
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
  for (const Sent& sent : kSent) {
    psnr.series.push_back(line_of(results, sent));
  }
  outcome.plots.push_back(
      {.name = "layers", .title = "What each structure shows", .panels = {std::move(psnr)}});
  for (const Link& link : kLinks) {
    for (const Sent& sent : kSent) {
      if (sent.chosen) judge(results, link, sent, outcome);
    }
  }
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
