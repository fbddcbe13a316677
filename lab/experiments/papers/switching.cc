// The product itself on a link that goes from 4 to 0.6 Mbit/s and back every 15 s: `qvid serve` and
// `qvid play`, and a room of two behind a broker, as people run them. Motion must go on, and the quality must come back. Not in the
// papers; 000 section 5.3 describes the aim.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/sound_tables.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {
namespace switching {
namespace {

constexpr double kPhase = 15;        // s at one rate
constexpr double kEnd = 120;         // s
constexpr double kBegin = 3;         // s; until then the player connects and finds its timeline
constexpr double kHigh = 4;          // Mbit/s
constexpr double kLow = 0.6;         // Mbit/s
constexpr double kInterval = 0.5;    // s, of the drawing
constexpr std::size_t kEnough = 28;  // frames of a second's 30
constexpr const char* kProduct = "pace";
constexpr const char* kRoom = "room";

struct Row {
  const char* name;
  const char* controller;
  const char* playout;  // empty: the default, early
};
constexpr std::array<Row, 4> kRows = {{{kProduct, "pace", ""},
                                       {kRoom, "pace", ""},
                                       {"pace, smooth", "pace", "smooth"},
                                       {"plain TCP", "none", ""}}};

bool is_room(const Row& row) { return row.name == std::string(kRoom); }

std::vector<RunSpec> plan(const ExperimentOptions& options, bool room) {
  std::vector<RunSpec> runs;
  for (const Row& row : kRows) {
    if (is_room(row) != room) continue;
    RunSpec run{.name = row.name, .link = "rate=4mbit delay=15ms queue=60kB"};
    for (double at = kPhase; at < kEnd; at += 2 * kPhase) {
      run.link += fmt::format(" rate@{:.0f}s=600kbit rate@{:.0f}s=4mbit", at, at + kPhase);
    }
    const std::vector<std::string> source = {"test",  "--size",       "640x480",     "--bitrate",
                                             "2500k", "--controller", row.controller};
    if (is_room(row)) {
      run.programs.member = source;
      run.programs.member.insert(run.programs.member.begin(), "publish");
      run.programs.output_logs = true;
    } else {
      run.programs.serve = source;
    }
    PlayerSpec player{.group = row.name};
    if (*row.playout != '\0') player.arguments = {"--playout", row.playout};
    run.programs.players = {player};
    run.duration = from_seconds(kEnd);  // the steps are at their times, however much time there is
    run.warm_up = from_seconds(kBegin);
    run.seed = options.seed;
    runs.push_back(std::move(run));
  }
  return runs;
}

// The phases at either rate, without what comes before kBegin.
std::vector<TimeSpan> phases(bool high) {
  std::vector<TimeSpan> spans;
  for (double at = high ? 0 : kPhase; at < kEnd; at += 2 * kPhase) {
    spans.push_back({std::max(at, kBegin), std::min(at + kPhase, kEnd)});
  }
  return spans;
}

std::vector<TimeSpan> rises() {
  std::vector<TimeSpan> spans = phases(true);
  spans.erase(spans.begin());  // nothing rises at the begin
  return spans;
}

Series link_rate() {
  Series series{.name = "link", .points = {}, .style = Series::Style::kSteps};
  bool high = true;
  for (double at = 0; at < kEnd; at += kPhase, high = !high) {
    series.points.emplace_back(at, high ? kHigh : kLow);
    series.points.emplace_back(std::min(at + kPhase, kEnd) - 0.01, high ? kHigh : kLow);
  }
  return series;
}

// Of the packets that left the link, Mbit/s, for each kInterval.
Series carried_rate(const std::string& name, const RunResult& run) {
  Series series{.name = name, .points = {}};
  const auto slots = static_cast<std::size_t>(kInterval / to_seconds(kSlot));
  for (std::size_t i = 0; i + slots <= run.carried.size(); i += slots) {
    double bytes = 0;
    for (std::size_t j = i; j < i + slots; ++j) bytes += static_cast<double>(run.carried[j]);
    series.points.emplace_back(
        (static_cast<double>(i) / static_cast<double>(slots) + 0.5) * kInterval,
        8 * bytes / kInterval / 1e6);
  }
  return series;
}

// The highest layer that any viewer was shown; that of a codec with two where none was.
int highest_layer(std::span<const RunResult> results) {
  int highest = 1;
  for (const RunResult& run : results) {
    if (!run.error.empty()) continue;
    for (const PlayerResult& player : run.players) {
      for (const PlayedFrame& frame : player.frames) highest = std::max(highest, frame.layer);
    }
  }
  return highest;
}

// Who watches a room tells when it showed pictures, and neither layers nor delays.
std::vector<FrameInstant> shown_in_room(const RunResult& run) {
  std::vector<FrameInstant> frames;
  for (const OutputValue& picture : run.players[0].output.pictures) {
    frames.push_back({.at = picture.at - to_seconds(run.begin.time_since_epoch()), .shown = true});
  }
  return frames;
}

void add_targets(const Smoothness& seen, Outcome& outcome) {
  outcome.targets.push_back(
      {.what = "longest gap between two frames, ms", .wanted = 250, .got = seen.longest_gap_ms});
  outcome.targets.push_back({.what = "frames shown a second",
                             .wanted = 29,
                             .at_least = true,
                             .got = seen.frames_a_second});
}

Outcome evaluate_served(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Programs, not models: 'qvid serve test --size 640x480 --bitrate 2500k' and 'qvid play "
      "--headless'. The link has 4 Mbit/s and 0.6 Mbit/s in turn, 15 s each, for two minutes; 30 "
      "ms of round trip, drop-tail of 60 kB (120 ms, at the low rate 800 ms). All layers again: "
      "the "
      "first frame of a second in which 28 of 30 have them. Gaps are between two frames on the "
      "screen; a freeze is one over 250 ms. Plain TCP is the same program with --controller none.";
  Table table{.title = "4 and 0.6 Mbit/s in turn",
              .columns = {{.name = "viewer"},
                          {.name = "freezes"},
                          {.name = "longest gap, ms"},
                          {.name = "frames shown a second", .decimals = 2},
                          {.name = "lost frames"},
                          {.name = "all layers again after a rise, median, s", .decimals = 2},
                          {.name = "worst, s", .decimals = 2},
                          {.name = "frames with all layers at 4 Mbit/s", .decimals = 3},
                          {.name = "at 0.6 Mbit/s", .decimals = 3},
                          {.name = "delay, median, ms"},
                          {.name = "99%, ms"}},
              .rows = {}};
  Panel rate{.title = "Rate", .x_label = "s", .y_label = "Mbit/s", .series = {link_rate()}};
  Panel layers{
      .title = "Layers shown", .x_label = "s", .y_label = "mean of half a second", .series = {}};
  Panel delay{.title = "Capture to screen",
              .x_label = "s",
              .y_label = "ms, most of half a second",
              .log_y = true,
              .series = {}};
  for (Panel* panel : {&rate, &layers, &delay}) panel->x_range = {0, kEnd};
  const int full = highest_layer(results);
  layers.y_range = {0, full + 1.1};
  const TimeSpan all{kBegin, kEnd};
  for (const Row& row : kRows) {
    if (is_room(row)) continue;
    const std::string name = row.name;
    const RunResult* run = run_named(results, row.name);
    std::vector<FrameInstant> frames;
    if (run && run->players[0].error.empty()) frames = instants_of(run->players[0]);
    const auto seen = smoothness(frames, all);
    if (!seen) {
      table.rows.push_back({name, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
      continue;
    }
    std::vector<double> recoveries;
    for (const TimeSpan& rise : rises()) {
      recoveries.push_back(until_full(frames, full, kEnough, rise));
    }
    const double worst = percentile(recoveries, 1);
    const std::vector<double> delays = delays_in(frames, {all});
    table.rows.push_back({name, static_cast<double>(seen->freezes), seen->longest_gap_ms,
                          seen->frames_a_second, static_cast<double>(seen->lost),
                          cell(percentile(recoveries, .5)), cell(worst),
                          cell(share_full(frames, full, phases(true))),
                          cell(share_full(frames, full, phases(false))),
                          cell(percentile(delays, .5)), cell(percentile(delays, .99))});
    rate.series.push_back(carried_rate(name, *run));
    layers.series.push_back({.name = name, .points = layers_over_time(frames, kInterval)});
    delay.series.push_back({.name = name, .points = delay_over_time(frames, kInterval)});
    if (name != kProduct) continue;
    add_targets(*seen, outcome);
    outcome.targets.push_back(
        {.what = "all layers again, worst of the rises, s", .wanted = 2, .got = worst});
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "switching",
                           .title = "qvid at 4 and 0.6 Mbit/s in turn",
                           .panels = {std::move(rate), std::move(layers), std::move(delay)}});
  outcome.notes.push_back(
      "A player's clock begins when the program does; the link's schedule is of the lab. The two "
      "differ by what a program takes to start, some tens of milliseconds.");
  return outcome;
}

Outcome evaluate_room(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Programs, not models: 'qvid broker' and 'qvid publish test --size 640x480 --bitrate 2500k' "
      "before the link, 'qvid watch --headless' behind it, which tells when it showed pictures. The "
      "link is that of `switching`. Gaps are between two pictures; a freeze is one over 250 ms.";
  Table table{.title = "4 and 0.6 Mbit/s in turn",
              .columns = {{.name = "viewer"},
                          {.name = "freezes"},
                          {.name = "longest gap, ms"},
                          {.name = "frames shown a second", .decimals = 2},
                          {.name = "lost frames"}},
              .rows = {}};
  Panel rate{.title = "Rate", .x_label = "s", .y_label = "Mbit/s", .series = {link_rate()}};
  rate.x_range = {0, kEnd};
  const RunResult* run = played_run(results, kRoom);
  const auto seen =
      run ? smoothness(shown_in_room(*run), {kBegin, kEnd}) : std::optional<Smoothness>();
  if (seen) {
    table.rows.push_back({std::string(kRoom), static_cast<double>(seen->freezes),
                          seen->longest_gap_ms, seen->frames_a_second,
                          cell(reported_frames_lost(run->players[0].report))});
    rate.series.push_back(carried_rate(kRoom, *run));
    add_targets(*seen, outcome);
  } else {
    table.rows.push_back({std::string(kRoom), {}, {}, {}, {}});
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "switching-room",
                           .title = "A room at 4 and 0.6 Mbit/s in turn",
                           .panels = {std::move(rate)}});
  return outcome;
}

}  // namespace
}  // namespace switching

const Experiment kSwitching = {
    .name = "switching",
    .title = "The product on a link that switches",
    .source = "",
    .plan = [](const ExperimentOptions& options) { return switching::plan(options, false); },
    .evaluate = switching::evaluate_served};
const Experiment kSwitchingRoom = {
    .name = "switching-room",
    .title = "A room on a link that switches",
    .source = "",
    .plan = [](const ExperimentOptions& options) { return switching::plan(options, true); },
    .evaluate = switching::evaluate_room};

}  // namespace qvid::lab
