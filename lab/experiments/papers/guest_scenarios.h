// The links and products of `guests`.
#pragma once

#include <array>

#include "lab/experiments/papers/glass_scenarios.h"

namespace qvid::lab {

inline constexpr Duration kGuestFreeze = 400ms;  // a longer gap between pictures is a freeze

inline constexpr std::string_view kClean = "clean";
inline constexpr std::string_view kFall = "fall";
inline constexpr std::array<GlassScenario, 5> kGuestScenarios = {
    {{.name = kClean,
      .title = "16 Mbit/s, 30 ms of round trip",
      .link = kGlassScenarios[0].link,
      .p50 = 110,
      .p95 = 140,
      .p99 = 170},
     {.name = "narrow",
      .title = "0.6 Mbit/s, 40 ms, a queue of 100 ms",
      .link = "rate=600kbit delay=20ms queue=7500B"},
     {.name = kFall,
      .title = "4, 0.6 and 4 Mbit/s, 10 s each, 40 ms",
      .link = kGlassScenarios[3].link,
      .steady = false,
      .low = 0.6,
      .from = 10,
      .until = 20},
     {.name = "cut",
      .title = "4 Mbit/s, 40 ms, nothing either way from 10 to 20 s",
      .link = kGlassScenarios[6].link,
      .seconds = 40,
      .steady = false,
      .low = 0,
      .from = 10,
      .until = 20,
      .both_ways = true},
     {.name = "beside",
      .title = "2 Mbit/s, 40 ms, beside a greedy cubic flow",
      .link = kGlassScenarios[2].link,
      .greedy = true}}};

inline constexpr std::string_view kToGuest = "to-guest";
inline constexpr std::string_view kFromGuest = "from-guest";
inline constexpr std::array<GlassProduct, 7> kGuestProducts = {
    {{.name = kToGuest,
      .title = "'qvid broker' beside 'qvid publish screen', Chromium with the broker's page",
      .between = BetweenDisplays::kGuest},
     {.name = "to-guest-voice",
      .title = "the same with a voice, which the picture waits for",
      .between = BetweenDisplays::kGuest,
      .voice = true},
     {.name = kFromGuest,
      .title =
          "Chromium with the page, in whose camera's place is the display; 'qvid broker' beside "
          "'qvid watch'",
      .between = BetweenDisplays::kGuest,
      .guest_sends = true},
     {.name = "from-guest-voice",
      .title = "the same with a tone",
      .between = BetweenDisplays::kGuest,
      .guest_sends = true,
      .voice = true},
     kGlassProducts[1],
     kGlassProducts[2],
     kGlassProducts[3]}};

// Longer than glass_lead where that is short: a browser begins, and the page comes over the link.
Duration guest_lead(const ExperimentOptions& options);

std::vector<RunSpec> plan_guests(const ExperimentOptions& options);

}  // namespace qvid::lab
