// The links and products of `glass`, and the runs that such links and products make.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bed/run_spec.h"
#include "lab/experiments/experiment.h"

namespace qvid::lab {

inline constexpr double kNoTarget = std::numeric_limits<double>::infinity();

// Times count from the begin of what is measured, s.
struct GlassScenario {
  std::string_view name;
  std::string_view title;
  std::string_view link;  // as far as it does not change
  double seconds = 30;    // that are measured
  // Nothing changes in it: in the full form it is longer.
  bool steady = true;
  bool greedy = false;  // beside a cubic flow that sends all it can
  // The link has `low` Mbit/s, 0: it carries nothing, from..until; until 0: never.
  double low = 0;
  double from = 0;
  double until = 0;
  bool both_ways = false;  // an outage, back to the sender, too
  // At most, of the product that is served: delay, ms.
  double p50 = kNoTarget;
  double p95 = kNoTarget;
  double p99 = kNoTarget;

  bool has_outage() const { return until > 0 && low <= 0; }
};

// Queues: two bandwidth-delay products where nothing else is said. Back, all have 100 Mbit/s.
inline constexpr std::array<GlassScenario, 9> kGlassScenarios = {
    {{.name = "S1",
      .title = "16 Mbit/s, 30 ms of round trip",
      .link = "rate=16mbit delay=15ms queue=120000B",
      .p50 = 60,
      .p95 = 80,
      .p99 = 90},
     {.name = "S2",
      .title = "2 Mbit/s, 40 ms",
      .link = "rate=2mbit delay=20ms queue=20000B",
      .p50 = 100,
      .p95 = 130,
      .p99 = 145},
     {.name = "S3",
      .title = "2 Mbit/s, 40 ms, beside a greedy cubic flow",
      .link = "rate=2mbit delay=20ms queue=20000B",
      .seconds = 45,
      .greedy = true},
     {.name = "S4",
      .title = "4, 0.6 and 4 Mbit/s, 15 s each, 40 ms",
      .link = "rate=4mbit delay=20ms queue=40000B",
      .seconds = 45,
      .steady = false,
      .low = 0.6,
      .from = 15,
      .until = 30,
      .p50 = 95,
      .p95 = 140,
      .p99 = 250},
     {.name = "S5",
      .title = "4 Mbit/s, 60 ms, 2% lost at random",
      .link = "rate=4mbit delay=30ms queue=60000B up:loss=2%",
      .seconds = 40,
      .p50 = 120,
      .p95 = 180,
      .p99 = 230},
     {.name = "S6",
      .title = "2 Mbit/s, 40 ms, a queue of 1 s, beside a greedy cubic flow",
      .link = "rate=2mbit delay=20ms queue=250000B",
      .seconds = 45,
      .greedy = true},
     {.name = "S7",
      .title = "4 Mbit/s, 40 ms, nothing from 12 to 15 s",
      .link = "rate=4mbit delay=20ms queue=40000B",
      .steady = false,
      .low = 0,
      .from = 12,
      .until = 15},
     {.name = "S8",
      .title = "0.3 Mbit/s, 40 ms, a queue of 100 ms",
      .link = "rate=300kbit delay=20ms queue=3750B"},
     {.name = "S9",
      .title = "0.15 Mbit/s, 40 ms, a queue of 230 ms",
      .link = "rate=150kbit delay=20ms queue=4312B"}}};

struct GlassProduct {
  std::string_view name;
  std::string_view title;
  BetweenDisplays between;
  bool room = false;
  bool no_udp = false;       // none passes
  bool guest_sends = false;  // its display; else it watches
  bool voice = false;        // beside the picture
  std::string_view codec{};  // where it is chosen; of Chromium by WebRTC's name
  std::string_view layers{};
};
inline constexpr std::string_view kServed = "qvid";
inline constexpr std::string_view kRoomed = "qvid-room";
inline constexpr std::array<GlassProduct, 5> kGlassProducts = {
    {{kServed, "'qvid serve screen' and 'qvid play'", BetweenDisplays::kProduct},
     {kRoomed, "'qvid broker' beside the sender, 'qvid publish screen', 'qvid watch'",
      BetweenDisplays::kProduct, true},
     {"chromium-udp", "Chromium at both ends, WebRTC over UDP, VP8", BetweenDisplays::kWebRtcUdp},
     {"chromium-turn",
      "the same, the sender through coturn at the far end, over TCP; no UDP passes",
      BetweenDisplays::kWebRtcTurn, false, true},
     {"qvid-tcp", "'qvid serve screen' and 'qvid play' where no UDP passes",
      BetweenDisplays::kProduct, false, true}}};

// As runs and `--only` have it: "S1 qvid".
// Each name with its title, for what is said of an experiment.
std::string titles_of(std::span<const GlassProduct> products);

std::string glass_run_name(const GlassScenario& scenario, const GlassProduct& product);

// Not measured: what programs and rates need to settle.
Duration glass_lead(const ExperimentOptions& options);
// By what the scenario's times are longer.
double glass_scale(const GlassScenario& scenario, const ExperimentOptions& options);

// One run, of which `lead` is not measured.
RunSpec glass_run(const GlassScenario& scenario, const GlassProduct& product, Duration lead,
                  const ExperimentOptions& options);

std::vector<RunSpec> plan_glass(const ExperimentOptions& options);

}  // namespace qvid::lab
