// Thesis figure 5.4: how much of what arrives is of use, by the length of the transmit window.
#include <fmt/format.h>

#include "lab/bed/layered_video.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/video_grid.h"

namespace qvid::lab {
namespace window {
namespace {

VideoGrid grid() {
  VideoGrid grid{.link = std::string(kThesisLink),
                 .rate = DataRate::from_kbps(5000),
                 .senders = {"none", "adapt+fo", "pace+fo", "lowat"},
                 .points = {},
                 .length = {.brief = 12s, .warm_up = 4s}};
  for (const int frames : {1, 2, 3, 5, 8, 15, 30, 60}) {
    grid.points.push_back({.label = fmt::format("{} frames", frames),
                           .x = static_cast<double>(frames),
                           .videos = 8,
                           .window = frames * kFrameTime});
  }
  return grid;
}

std::vector<RunSpec> plan(const ExperimentOptions& options) { return runs_of(grid(), options); }

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  const VideoGrid of = grid();
  Outcome outcome;
  outcome.conditions =
      "8 videos of 5 Mbit/s over 16 Mbit/s, 30 ms of round trip, drop-tail of 120 kB. Goodput: of "
      "the "
      "bytes delivered, those of layers that were shown, which must be there, with all layers "
      "below "
      "them, within the window after their capture.";
  Table goodput{.title = "Goodput by transmit window, %",
                .source = "000 figure 5.4",
                .columns = {},
                .rows = {}};
  goodput.columns = {{.name = "window, frames"},
                     {.name = "TCP", .paper = true},
                     {.name = "adapt+fo", .paper = true}};
  Table shown{
      .title = "Frames shown a second", .columns = {{.name = "window, frames"}}, .rows = {}};
  Panel ours{.title = "Ours",
             .x_label = "window, frames",
             .y_label = "goodput, %",
             .log_x = true,
             .y_range = {{0, 100}},
             .series = {}};
  Panel paper = ours;
  paper.title = "The thesis's figure 5.4 (what its text names)";
  paper.series = {{.name = "adapt+fo: over 60% from 5 frames on",
                   .points = {{5, 60}},
                   .style = Series::Style::kPoints,
                   .paper = true},
                  {.name = "TCP: 60% from over 60 frames on",
                   .points = {{60, 60}},
                   .style = Series::Style::kPoints,
                   .paper = true}};
  for (const char* sender : of.senders) {
    goodput.columns.push_back({.name = sender});
    shown.columns.push_back({.name = sender, .decimals = 1});
    ours.series.push_back({.name = sender, .points = {}});
  }
  for (const VideoPoint& point : of.points) {
    std::vector<Cell> a = {point.x, point.x == 60 ? Cell(60.0) : Cell(),
                           point.x == 5 ? Cell(60.0) : Cell()};
    std::vector<Cell> b = {point.x};
    for (std::size_t i = 0; i < of.senders.size(); ++i) {
      const RunResult* run = run_of(results, of.senders[i], point);
      if (!run) {
        a.emplace_back();
        b.emplace_back();
        continue;
      }
      const VideoMeasures m = measures_of(*run);
      a.emplace_back(100 * m.goodput);
      b.emplace_back(m.frames_a_second);
      ours.series[i].points.emplace_back(point.x, 100 * m.goodput);
      if (of.senders[i] == std::string_view("pace+fo") && point.x == 5) {
        outcome.targets.push_back({.what = "pace+fo, 8 videos, 5 frames of window: frames a second",
                                   .wanted = 29,
                                   .at_least = true,
                                   .got = m.frames_a_second});
      }
    }
    goodput.rows.push_back(std::move(a));
    shown.rows.push_back(std::move(b));
  }
  outcome.tables = {std::move(goodput), std::move(shown)};
  outcome.plots.push_back({.name = "window",
                           .title = "Goodput by transmit window",
                           .panels = {std::move(paper), std::move(ours)}});
  outcome.notes = {
      "The papers do not say how large the layers were. Here the base has 1/16 of the rate, and "
      "each "
      "further layer is a quarter larger than the one below it; no frame refers to another.",
      "Of the short form's 8 s, those frames count whose window ends in them."};
  return outcome;
}

}  // namespace
}  // namespace window

const Experiment kWindow = {.name = "window",
                            .title = "Goodput by transmit window",
                            .source = "000 figure 5.4",
                            .plan = window::plan,
                            .evaluate = window::evaluate};

}  // namespace qvid::lab
