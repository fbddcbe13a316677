#include "lab/experiments/papers/glass_measure.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace qvid::lab {
namespace {

constexpr Duration kInterval = 250ms;  // of the drawings
// A segment of 1448 bytes is a packet of 1500.
constexpr double kPacketOverSegment = 1500.0 / 1448.0;

}  // namespace

GlassSpan measured_of(const RunResult& run) {
  return {run.begin + run.spec.warm_up, run.begin + run.spec.duration};
}

double sent_mbps(const RunResult& run) {
  double bytes = static_cast<double>(run.link.up.bytes);
  const auto first = static_cast<std::size_t>(run.spec.warm_up / kSlot);
  for (const FlowResult& flow : run.flows) {
    for (std::size_t i = first; i < flow.slots.size(); ++i) {
      bytes -= kPacketOverSegment * static_cast<double>(flow.slots[i].delivered);
    }
  }
  return 8e-6 * bytes / to_seconds(run.measured);
}

bool was_seen(const RunResult& run) {
  return run.error.empty() && run.not_installed.empty() &&
         std::ranges::all_of(run.players,
                             [](const PlayerResult& player) { return player.error.empty(); });
}

Series delay_line(std::string name, const RunResult& run) {
  return {.name = std::move(name),
          .points = glass_delay_over_time(run.glass, measured_of(run), kInterval)};
}

Panel delay_panel(std::string title, double seconds) {
  Panel panel{.title = std::move(title),
              .x_label = "s",
              .y_label = "delay, ms, most of a quarter of a second",
              .log_y = true,
              .series = {}};
  panel.x_range = {0, seconds};
  return panel;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace qvid::lab
