// A guest with a browser on five links, both ways, from glass to glass; beside it, in the same run of the
// lab, the programs at both ends and Chromium's WebRTC. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "lab/experiments/papers/glass_measure.h"
#include "lab/experiments/papers/guest_scenarios.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace guests {
namespace {

constexpr Duration kShortestLead = 15s;

Table empty_table(const GlassScenario& scenario) {
  Table table{.title = fmt::format("{}: {}", scenario.name, scenario.title),
              .columns = {{.name = "product"},
                          {.name = "delay, median, ms"},
                          {.name = "95%, ms"},
                          {.name = "99%, ms"},
                          {.name = "age, 99%, ms"},
                          {.name = "freezes"},
                          {.name = "frozen, s", .decimals = 1},
                          {.name = "longest, ms"},
                          {.name = "pictures a second", .decimals = 1},
                          {.name = "sent, Mbit/s", .decimals = 2},
                          {.name = "link late, 99%, ms", .decimals = 1},
                          {.name = "clock late, 99%, ms", .decimals = 1}},
              .rows = {}};
  if (scenario.has_outage()) table.columns.push_back({.name = "back after, ms"});
  return table;
}

void add_row(Table& table, const RunResult& run, const GlassProduct& product,
             const GlassFigures* glass, double scale, const GlassScenario& scenario) {
  std::vector<Cell> row{std::string(product.name)};
  if (!run.not_installed.empty()) row.emplace_back("not installed: " + run.not_installed);
  if (glass != nullptr) {
    const GlassSpan span = measured_of(run);
    const GlassSpan after{span.from + from_seconds(scale * scenario.until), span.to};
    for (const double value :
         {percentile(glass->delays_ms, .5), percentile(glass->delays_ms, .95),
          percentile(glass->delays_ms, .99), percentile(glass->ages_ms, .99),
          static_cast<double>(glass->freezes), glass->frozen_s, glass->longest_freeze_ms,
          glass->pictures_a_second, sent_mbps(run), to_ms(run.link.up.lateness.percentile(.99)),
          percentile(glass->clock_late_ms, .99), back_after_ms(run.glass, after)}) {
      row.push_back(cell(value));
    }
  }
  row.resize(table.columns.size());
  table.rows.push_back(std::move(row));
}

void judge(const GlassScenario& scenario, const GlassProduct& product, const GlassFigures& glass,
           Outcome& outcome) {
  const auto at_most = [&](const std::string& what, double wanted, double got) {
    outcome.targets.push_back({.what = fmt::format("{}, {}: {}", scenario.name, product.name, what),
                               .wanted = wanted,
                               .got = got});
  };
  if (scenario.name == kClean && product.name == kToGuest) {
    at_most("delay, median, ms", scenario.p50, percentile(glass.delays_ms, .5));
    at_most("delay, 95%, ms", scenario.p95, percentile(glass.delays_ms, .95));
    at_most("delay, 99%, ms", scenario.p99, percentile(glass.delays_ms, .99));
  }
  if (scenario.name == kFall && (product.name == kToGuest || product.name == kFromGuest)) {
    at_most("freezes over 400 ms", 0, static_cast<double>(glass.freezes));
  }
}

std::string conditions(const ExperimentOptions& options) {
  return fmt::format(
      "The clock of `glass`, 640x400 at 29.7 pictures a second, which the sender takes as a screen, "
      "and the same eye on the display where it is shown. {}. A guest's page comes over the link, "
      "too, by TLS. One run each, one after the other; {:.0f} s before the measured time are for "
      "starting. Delay: of each new picture, when it is first seen; what never comes does not "
      "count. Age: of what is on the display, every 10 ms. A freeze: over {:.0f} ms without a new "
      "picture. Sent: packets that came to the link from the sender's end, without the greedy "
      "flow's. Back: from the link's return to the first new picture that is no older than 300 ms.",
      titles_of(kGuestProducts), to_seconds(guest_lead(options)), to_ms(kGuestFreeze));
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions = conditions(options);
  for (const GlassScenario& scenario : kGuestScenarios) {
    const double scale = glass_scale(scenario, options);
    Table table = empty_table(scenario);
    Panel delay = delay_panel(table.title, scale * scenario.seconds);
    for (const GlassProduct& product : kGuestProducts) {
      const auto run = std::ranges::find_if(results, [&](const RunResult& r) {
        return r.spec.name == glass_run_name(scenario, product);
      });
      if (run == results.end()) continue;  // not chosen
      std::optional<GlassFigures> glass;
      if (was_seen(*run)) glass = glass_figures(run->glass, measured_of(*run), kGuestFreeze);
      add_row(table, *run, product, glass ? &*glass : nullptr, scale, scenario);
      if (!glass) continue;
      delay.series.push_back(delay_line(std::string(product.name), *run));
      judge(scenario, product, *glass, outcome);
    }
    if (table.rows.empty()) continue;
    outcome.tables.push_back(std::move(table));
    outcome.plots.push_back({.name = fmt::format("guests-{}", scenario.name),
                             .title = "Guests with a browser",
                             .panels = {std::move(delay)}});
  }
  return outcome;
}

}  // namespace
}  // namespace guests

Duration guest_lead(const ExperimentOptions& options) {
  return std::max(glass_lead(options), guests::kShortestLead);
}

std::vector<RunSpec> plan_guests(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const GlassScenario& scenario : kGuestScenarios) {
    for (const GlassProduct& product : kGuestProducts) {
      runs.push_back(glass_run(scenario, product, guest_lead(options), options));
    }
  }
  return runs;
}

const Experiment kGuests = {.name = "guests",
                            .title = "Guests with a browser, beside WebRTC",
                            .source = "",
                            .plan = plan_guests,
                            .evaluate = guests::evaluate};

}  // namespace qvid::lab
