#include "lab/experiments/papers/glass_scenarios.h"

#include <fmt/format.h>

#include <algorithm>

namespace qvid::lab {
namespace {

constexpr double kLead = 20;      // s: Chromium takes 15 to reach its rate
constexpr double kShortLead = 8;  // of a short run
constexpr double kFullScale = 4;  // of what is steady
constexpr double kRivalLead = 5;  // s that the greedy flow has had when the measured time begins

std::string link_of(const GlassScenario& scenario, const GlassProduct& product, double lead,
                    double scale) {
  std::string link(scenario.link);
  link += " down:rate=100mbit down:queue=1MB";
  const double from = lead + scale * scenario.from;
  const double until = lead + scale * scenario.until;
  if (scenario.until > 0 && scenario.low > 0) {
    // After the last rate comes the first again.
    const std::string rate = link.substr(0, link.find(' ')).substr(std::string("rate=").size());
    link += fmt::format(" up:rate@{:.3f}s={:.0f}kbit up:rate@{:.3f}s={}", from, 1000 * scenario.low,
                        until, rate);
  } else if (scenario.until > 0) {
    link += fmt::format(" up:outage={:.3f}s+{:.3f}s", from, until - from);
  }
  if (product.no_udp) link += " udp=drop";
  return link;
}

RunSpec run_of(const GlassScenario& scenario, const GlassProduct& product,
               const ExperimentOptions& options) {
  const Duration lead = glass_lead(options);
  const double scale = glass_scale(scenario, options);
  RunSpec run{.name = glass_run_name(scenario, product),
              .link = link_of(scenario, product, to_seconds(lead), scale)};
  run.warm_up = lead;
  run.duration = lead + from_seconds(scale * scenario.seconds);
  run.seed = options.seed;
  run.programs.between = product.between;
  if (product.between == BetweenDisplays::kProduct) {
    const std::vector<std::string> screen = {"screen", "--rate", "30", "--microphone", "none"};
    if (product.room) {
      run.programs.member = screen;
      run.programs.member.insert(run.programs.member.begin(), "publish");
    } else {
      run.programs.serve = screen;
    }
    run.programs.players = {{.group = std::string(product.name)}};
  }
  if (scenario.greedy) {
    run.flows = {{.group = "rival",
                  .sender = "cubic",
                  .workload = Workload::kGreedy,
                  .start = std::max(Duration::zero(), lead - from_seconds(kRivalLead))}};
  }
  return run;
}

}  // namespace

std::string glass_run_name(const GlassScenario& scenario, const GlassProduct& product) {
  return fmt::format("{} {}", scenario.name, product.name);
}

Duration glass_lead(const ExperimentOptions& options) {
  return from_seconds(std::clamp(kLead * options.stretch, kShortLead, kLead));
}

double glass_scale(const GlassScenario& scenario, const ExperimentOptions& options) {
  if (options.full) return scenario.steady ? kFullScale : 1;
  return options.stretch;
}

std::vector<RunSpec> plan_glass(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const GlassScenario& scenario : kGlassScenarios) {
    for (const GlassProduct& product : kGlassProducts) {
      runs.push_back(run_of(scenario, product, options));
    }
  }
  return runs;
}

}  // namespace qvid::lab
