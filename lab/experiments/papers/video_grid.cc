#include "lab/experiments/papers/video_grid.h"

#include <fmt/format.h>

#include <algorithm>

namespace qvid::lab {
namespace {

std::string name_of(const char* sender, const VideoPoint& point) {
  return fmt::format("{}, {}", sender, point.label);
}

}  // namespace

std::vector<RunSpec> runs_of(const VideoGrid& grid, const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const char* sender : grid.senders) {
    for (const VideoPoint& point : grid.points) {
      RunSpec run{.name = name_of(sender, point), .link = grid.link};
      run.flows = {
          {.sender = sender, .rate = grid.rate, .window = point.window, .count = point.videos}};
      set_length(run, grid.length, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

VideoMeasures measures_of(const RunResult& run) {
  double frames = 0;
  double shown = 0;
  double layers = 0;
  double used = 0;
  double delivered = 0;
  VideoMeasures measures{.least_frames_a_second = 30};
  for (const FlowResult& flow : run.flows) {
    const auto of = static_cast<double>(std::max<std::uint64_t>(1, flow.video.frames));
    const double fps = 30 * static_cast<double>(flow.video.shown) / of;
    measures.least_frames_a_second = std::min(measures.least_frames_a_second, fps);
    frames += of;
    shown += static_cast<double>(flow.video.shown);
    layers += static_cast<double>(flow.video.layers);
    used += static_cast<double>(flow.video.used);
    delivered += static_cast<double>(flow.video.delivered);
  }
  measures.frames_a_second = frames > 0 ? 30 * shown / frames : 0;
  measures.layers = shown > 0 ? layers / shown : 0;
  measures.goodput = delivered > 0 ? used / delivered : 0;
  return measures;
}

const RunResult* run_of(std::span<const RunResult> results, const char* sender,
                        const VideoPoint& point) {
  return run_named(results, name_of(sender, point));
}

}  // namespace qvid::lab
