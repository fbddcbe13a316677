// Thesis figure 5.5: frames a second and layers, by the number of videos on the link.
#include <fmt/format.h>

#include "lab/bed/layered_video.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/video_grid.h"

namespace qvid::lab {
namespace videos {
namespace {

VideoGrid grid() {
  VideoGrid grid{.link = std::string(kThesisLink),
                 .rate = DataRate::from_kbps(5000),
                 .senders = {"none", "adapt+fo", "pace+fo", "lowat", "srt"},
                 .points = {},
                 .length = {.brief = 12s, .warm_up = 4s}};
  for (const std::size_t videos : {3u, 5u, 8u, 12u, 16u, 32u}) {
    grid.points.push_back({.label = fmt::format("{} videos", videos),
                           .x = static_cast<double>(videos),
                           .videos = videos,
                           .window = 8 * kFrameTime});
  }
  return grid;
}

std::vector<RunSpec> plan(const ExperimentOptions& options) { return runs_of(grid(), options); }

double target_of(double videos) {
  if (videos == 16) return 28;
  if (videos == 32) return 25;
  return 0;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  const VideoGrid of = grid();
  Outcome outcome;
  outcome.conditions =
      "3 to 32 videos of 5 Mbit/s over 16 Mbit/s, 30 ms of round trip, drop-tail of 120 kB; a "
      "frame has "
      "8 frames (267 ms) from its capture to its base's arrival.";
  Table table{.title =
                  "Frames shown a second (mean of all videos / the worst video), and layers of a "
                  "frame shown",
              .source = "000 figure 5.5",
              .columns = {{.name = "videos"},
                          {.name = "TCP: frames", .paper = true},
                          {.name = "adapt+fo: frames", .paper = true}},
              .rows = {}};
  Panel frames{.title = "Frames a second (ours, and what the thesis's text names)",
               .x_label = "videos",
               .y_label = "frames a second",
               .y_range = {{0, 31}},
               .series = {{.name = "adapt+fo",
                           .points = {{5, 25}, {16, 8}},
                           .style = Series::Style::kPoints,
                           .paper = true},
                          {.name = "TCP: under 5",
                           .points = {{5, 5}},
                           .style = Series::Style::kPoints,
                           .paper = true}}};
  Panel layers{.title = "Layers of a frame shown (ours)",
               .x_label = "videos",
               .y_label = "layers",
               .y_range = {{0, 8}},
               .series = {}};
  for (const char* sender : of.senders) {
    table.columns.push_back({.name = fmt::format("{}: frames", sender)});
    table.columns.push_back({.name = "layers", .decimals = 1});
    frames.series.push_back({.name = sender, .points = {}});
    layers.series.push_back({.name = sender, .points = {}});
  }
  for (const VideoPoint& point : of.points) {
    std::vector<Cell> row = {point.x, point.x == 5 ? Cell(std::string("under 5")) : Cell(),
                             point.x == 5    ? Cell(25.0)
                             : point.x == 16 ? Cell(8.0)
                                             : Cell()};
    for (std::size_t i = 0; i < of.senders.size(); ++i) {
      const RunResult* run = run_of(results, of.senders[i], point);
      if (!run) {
        row.resize(row.size() + 2);
        continue;
      }
      const VideoMeasures m = measures_of(*run);
      row.emplace_back(fmt::format("{:.1f} / {:.1f}", m.frames_a_second, m.least_frames_a_second));
      row.emplace_back(m.layers);
      frames.series[i + 2].points.emplace_back(point.x, m.frames_a_second);
      layers.series[i].points.emplace_back(point.x, m.layers);
      if (of.senders[i] == std::string_view("pace+fo") && target_of(point.x) > 0) {
        outcome.targets.push_back(
            {.what = fmt::format("pace+fo, {}, 8 frames of window: frames a second", point.label),
             .wanted = target_of(point.x),
             .at_least = true,
             .got = m.frames_a_second});
      }
    }
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "videos",
                           .title = "Frames and layers by the number of videos",
                           .panels = {std::move(frames), std::move(layers)}});
  outcome.notes = {
      "The papers do not say how large the layers were. Here the base has 1/16 of the rate, so the "
      "bases of 32 videos are 10 of the 16 Mbit/s. SRT has no layers to drop: it sends all of "
      "every "
      "frame."};
  return outcome;
}

}  // namespace
}  // namespace videos

const Experiment kVideos = {.name = "videos",
                            .title = "Frames a second by the number of videos",
                            .source = "000 figure 5.5",
                            .plan = videos::plan,
                            .evaluate = videos::evaluate};

}  // namespace qvid::lab
