#include "lab/experiments/papers/glass_scenarios.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
  } else if (scenario.has_outage()) {
    link += fmt::format(" {}outage={:.3f}s+{:.3f}s", scenario.both_ways ? "" : "up:", from,
                        until - from);
  }
  if (product.no_udp) link += " udp=drop";
  return link;
}

// What sends, and what shows it.
void add_programs(ProgramSpec& programs, const GlassProduct& product) {
  programs.between = product.between;
  programs.webrtc_codec = product.codec;
  const bool guest = product.between == BetweenDisplays::kGuest;
  if (!guest && product.between != BetweenDisplays::kProduct) return;
  if (guest && product.guest_sends) {
    programs.member = {"watch", "--speaker", "none"};
    programs.from_far = true;
    programs.guest_speaks = product.voice;
    return;
  }
  std::vector<std::string> screen = {"screen", "--rate", "30"};
  if (product.voice) {
    programs.sound = TestSound::kTalk;
  } else {
    screen.insert(screen.end(), {"--microphone", "none"});
  }
  const auto add = [&](const char* option, std::string_view value) {
    if (!value.empty()) screen.insert(screen.end(), {option, std::string(value)});
  };
  add("--codec", product.codec);
  add("--layers", product.layers);
  if (guest || product.room) {
    screen.insert(screen.begin(), "publish");
    programs.member = std::move(screen);
  } else {
    programs.serve = std::move(screen);
  }
  if (!guest) programs.players = {{.group = std::string(product.name)}};
}

}  // namespace

std::string titles_of(std::span<const GlassProduct> products) {
  std::string titles;
  for (const GlassProduct& product : products) {
    titles += fmt::format("{}{}: {}", titles.empty() ? "" : "; ", product.name, product.title);
  }
  return titles;
}

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

RunSpec glass_run(const GlassScenario& scenario, const GlassProduct& product, Duration lead,
                  const ExperimentOptions& options) {
  const double scale = glass_scale(scenario, options);
  RunSpec run{.name = glass_run_name(scenario, product),
              .link = link_of(scenario, product, to_seconds(lead), scale)};
  run.warm_up = lead;
  run.duration = lead + from_seconds(scale * scenario.seconds);
  run.seed = options.seed;
  add_programs(run.programs, product);
  if (scenario.greedy) {
    run.flows = {{.group = "rival",
                  .sender = "cubic",
                  .workload = Workload::kGreedy,
                  .start = std::max(Duration::zero(), lead - from_seconds(kRivalLead))}};
  }
  return run;
}

std::vector<RunSpec> plan_glass(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const GlassScenario& scenario : kGlassScenarios) {
    for (const GlassProduct& product : kGlassProducts) {
      runs.push_back(glass_run(scenario, product, glass_lead(options), options));
    }
  }
  return runs;
}

}  // namespace qvid::lab
