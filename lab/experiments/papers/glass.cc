// From glass to glass: a clock on one display, taken from there as a screen, sent over nine links,
// and read off another display; beside the product, in the same run of the lab, Chromium's WebRTC.
// Nothing that a program says of itself counts. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lab/experiments/papers/glass_measure.h"
#include "lab/experiments/papers/glass_scenarios.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/glass/glass_figures.h"

namespace qvid::lab {
namespace glass {
namespace {

constexpr double kDeviationMs = 12;  // of the times between pictures, S1
constexpr double kRoomAddsMs = 10;   // to the median, S1
constexpr double kBackMs = 150;      // after the link's return, S7
constexpr double kQualityBackMs = 2000;
constexpr std::string_view kSteady = "S1";
constexpr std::string_view kSwitching = "S4";
constexpr std::string_view kOutage = "S7";

// As a table's row and a judge need it.
struct Measured {
  double p50, p95, p99;
  double back_ms;  // where the link was away
  double quality_back_ms;
  GlassFigures glass;
};

Measured measured(const RunResult& run, const GlassScenario& scenario, double scale) {
  const GlassSpan span = measured_of(run);
  const GlassSpan before{span.from, span.from + from_seconds(scale * scenario.from)};
  const GlassSpan after{span.from + from_seconds(scale * scenario.until), span.to};
  const GlassFigures glass = glass_figures(run.glass, span);
  return {.p50 = percentile(glass.delays_ms, .5),
          .p95 = percentile(glass.delays_ms, .95),
          .p99 = percentile(glass.delays_ms, .99),
          .back_ms = back_after_ms(run.glass, after),
          .quality_back_ms = quality_back_after_ms(run.glass, before, after),
          .glass = glass};
}

Table empty_table(const GlassScenario& scenario) {
  Table table{.title = fmt::format("{}: {}", scenario.name, scenario.title),
              .columns = {{.name = "product"},
                          {.name = "delay, median, ms"},
                          {.name = "95%, ms"},
                          {.name = "99%, ms"},
                          {.name = "age, 99%, ms"},
                          {.name = "pictures a second", .decimals = 1},
                          {.name = "freezes"},
                          {.name = "frozen, s", .decimals = 1},
                          {.name = "longest, ms"},
                          {.name = "deviation of intervals, ms", .decimals = 1},
                          {.name = "steps back"},
                          {.name = "sent, Mbit/s", .decimals = 2},
                          {.name = "PSNR, dB", .decimals = 1},
                          {.name = "link late, 99%, ms", .decimals = 1},
                          {.name = "clock late, 99%, ms", .decimals = 1}},
              .rows = {}};
  if (scenario.has_outage()) {
    table.columns.push_back({.name = "back after, ms"});
    table.columns.push_back({.name = "quality, ms"});
  }
  return table;
}

void add_row(Table& table, const RunResult& run, const GlassProduct& product,
             const std::optional<Measured>& m) {
  std::vector<Cell> row{std::string(product.name)};
  if (!run.not_installed.empty()) row.emplace_back("not installed: " + run.not_installed);
  if (m) {
    const GlassFigures& glass = m->glass;
    for (const double value :
         {m->p50, m->p95, m->p99, percentile(glass.ages_ms, .99), glass.pictures_a_second,
          static_cast<double>(glass.freezes), glass.frozen_s, glass.longest_freeze_ms,
          glass.interval_deviation_ms, static_cast<double>(glass.steps_back), sent_mbps(run),
          glass.psnr, to_ms(run.link.up.lateness.percentile(.99)),
          percentile(glass.clock_late_ms, .99), m->back_ms, m->quality_back_ms}) {
      row.push_back(cell(value));
    }
  }
  row.resize(table.columns.size());
  table.rows.push_back(std::move(row));
}

void judge(const GlassScenario& scenario, const Measured& m, Outcome& outcome) {
  const std::string name(scenario.name);
  const auto at_most = [&](const std::string& what, double wanted, double got) {
    if (wanted == kNoTarget) return;
    outcome.targets.push_back({.what = name + ": " + what, .wanted = wanted, .got = got});
  };
  at_most("delay, median, ms", scenario.p50, m.p50);
  at_most("delay, 95%, ms", scenario.p95, m.p95);
  at_most("delay, 99%, ms", scenario.p99, m.p99);
  if (name == kSteady) {
    at_most("deviation of the times between pictures, ms", kDeviationMs,
            m.glass.interval_deviation_ms);
  }
  if (name == kSwitching) {
    at_most("freezes over 200 ms", 0, static_cast<double>(m.glass.freezes));
  }
  if (name == kOutage) {
    at_most("back after the link's return, ms", kBackMs, m.back_ms);
    at_most("quality back, ms", kQualityBackMs, m.quality_back_ms);
  }
}

std::string conditions(const ExperimentOptions& options) {
  return fmt::format(
      "A clock of 640x400 at 29.7 pictures a second on one virtual display, which the program takes "
      "as a screen; its number is read off another display 250 times a second, and stands for its "
      "time. Nothing that a program says of itself counts. {}. One run each, one after the other; "
      "{:.0f} s before the measured time are for starting. Delay: of each new picture, when it is "
      "first seen; what never comes does not count. Age: of what is on the display, every 10 ms. A "
      "freeze: over 200 ms without a new picture. Steps back: to an older picture than before. "
      "Sent: packets that came to the link, without a rival's. PSNR: of the luma, where a picture "
      "is shown as large as it is, which a room's window does not do. Back: from the "
      "link's return to the first new picture that is no older than 300 ms; quality: to the first "
      "look, of one every 0.4 s, at which PSNR is no more than {:.0f} dB below its mean before, and "
      "after which no two in succession are in {:.0f} s.",
      titles_of(kGlassProducts), to_seconds(glass_lead(options)), kSameQuality,
      to_seconds(kSteadyFor));
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = conditions(options);
  std::optional<double> served;  // median of S1
  std::optional<double> roomed;
  for (const GlassScenario& scenario : kGlassScenarios) {
    const double scale = glass_scale(scenario, options);
    Table table = empty_table(scenario);
    Panel delay =
        delay_panel(fmt::format("{}: {}", scenario.name, scenario.title), scale * scenario.seconds);
    for (const GlassProduct& product : kGlassProducts) {
      const auto run = std::ranges::find_if(results, [&](const RunResult& r) {
        return r.spec.name == glass_run_name(scenario, product);
      });
      if (run == results.end()) continue;  // not chosen
      std::optional<Measured> m;
      if (was_seen(*run)) m = measured(*run, scenario, scale);
      add_row(table, *run, product, m);
      if (!m) continue;
      delay.series.push_back(delay_line(std::string(product.name), *run));
      if (product.name == kServed) judge(scenario, *m, outcome);
      if (scenario.name != kSteady) continue;
      if (product.name == kServed) served = m->p50;
      if (product.name == kRoomed) roomed = m->p50;
    }
    if (table.rows.empty()) continue;
    outcome.tables.push_back(std::move(table));
    outcome.plots.push_back({.name = "glass-" + lower(std::string(scenario.name)),
                             .title = "From glass to glass",
                             .panels = {std::move(delay)}});
  }
  if (served && roomed) {
    outcome.targets.push_back({.what = "S1: what a room adds to the median, ms",
                               .wanted = kRoomAddsMs,
                               .got = *roomed - *served});
  }
  return outcome;
}

}  // namespace
}  // namespace glass

const Experiment kGlass = {.name = "glass",
                           .title = "From glass to glass, beside WebRTC",
                           .source = "",
                           .plan = plan_glass,
                           .evaluate = glass::evaluate};

}  // namespace qvid::lab
