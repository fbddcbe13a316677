// Lip sync of the product: a flash and a beep of one instant each second, sent over bad links, and
// when they come out at the other end. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/sound_tables.h"
#include "lab/experiments/sync_measure.h"

namespace qvid::lab {
namespace lipsync {
namespace {

constexpr Duration kBrief = 55s;
constexpr Duration kFull = 300s;
constexpr double kBegin = 5;         // s; until then the two find each other
constexpr double kLastSecond = 0.5;  // s before the end: programs are told to end one by one
constexpr double kTargetMs = 40;     // either way

struct Link {
  const char* name;
  const char* words;
  bool rival;
};
constexpr std::array<Link, 7> kLinks = {
    {{"clean", "rate=16mbit delay=15ms queue=60ms", false},
     {"dsl", "dsl", false},
     {"lte", "lte", false},
     {"hotel-wifi", "hotel-wifi", false},
     {"satellite", "satellite", false},
     {"office-tcp-only", "office-tcp-only", false},
     {"2 Mbit/s, a greedy rival", "rate=2mbit delay=15ms queue=300ms", true}}};

Duration length_of(const ExperimentOptions& options) {
  return options.full ? kFull : from_seconds(to_seconds(kBrief) * options.stretch);
}

// Not a part of the length: the two need so long, however short the run.
Duration begin_of(const ExperimentOptions& options) {
  return std::min(from_seconds(kBegin), length_of(options) / 2);
}

RunSpec run_over(const Link& link, const ExperimentOptions& options) {
  RunSpec run{.name = link.name, .link = link.words};
  run.duration = length_of(options);
  run.warm_up = begin_of(options);
  run.seed = options.seed;
  run.programs.output_logs = true;
  run.programs.from_far = !link.rival;  // a rival's content goes up
  run.programs.players = {{.group = link.name}};
  if (link.rival) {
    run.flows = {{.group = "rival", .sender = "cubic", .workload = Workload::kGreedy}};
  }
  return run;
}

const std::vector<std::string> kSource = {"test:sync", "--size", "640x480"};

std::vector<RunSpec> plan_served(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Link& link : kLinks) {
    runs.push_back(run_over(link, options));
    runs.back().programs.serve = kSource;
  }
  return runs;
}

std::vector<RunSpec> plan_room(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Link& link : kLinks) {
    runs.push_back(run_over(link, options));
    runs.back().programs.member = kSource;
    runs.back().programs.member.insert(runs.back().programs.member.begin(), "publish");
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results,
                 const std::string& name, const std::string& programs) {
  Outcome outcome;
  const double end = to_seconds(length_of(options)) - kLastSecond;
  const TimeSpan measured{to_seconds(begin_of(options)), end};
  outcome.conditions = fmt::format(
      "{} A flash and a beep of one instant each second, 640x480 at 30 frames a second; measured "
      "is what came out and when (--output-log), from {:.0f} s to {:.1f} s. Error: the flash's "
      "time less the beep's, positive where the picture was late. Named links: docs/lab.md; the "
      "video comes down them. Clean: 16 Mbit/s, 30 ms of round trip. The rival is a greedy cubic "
      "flow the same way, behind 300 ms of queue.",
      programs, measured.from, measured.to);
  Table table{.title = "Flash less beep",
              .columns = {{.name = "link"},
                          {.name = "pairs"},
                          {.name = "error, median, ms", .decimals = 1},
                          {.name = "its size, 95%, ms", .decimals = 1},
                          {.name = "worst, ms", .decimals = 1},
                          {.name = "beeps missing"},
                          {.name = "flashes missing"},
                          {.name = "frames lost"},
                          {.name = "sound behind its least, ms"}},
              .rows = {}};
  Panel panel{.title = "Flash less beep", .x_label = "s", .y_label = "ms", .series = {}};
  panel.x_range = {0, end};
  for (const Link& link : kLinks) {
    const RunResult* run = played_run(results, link.name);
    if (!run) {
      table.rows.push_back({std::string(link.name), {}, {}, {}, {}, {}, {}, {}, {}});
      continue;
    }
    const PlayerResult& player = run->players[0];
    const SyncMeasure sync = measure_sync(player.output, on_the_clock(*run, measured));
    std::vector<double> errors;
    Series series{.name = link.name, .points = {}, .style = Series::Style::kPoints};
    for (const SyncError& error : sync.errors) {
      errors.push_back(error.ms);
      series.points.emplace_back(error.at - to_seconds(run->begin.time_since_epoch()), error.ms);
    }
    const double worst = percentile(sync.absolute_ms(), 1);
    table.rows.push_back({std::string(link.name), static_cast<double>(errors.size()),
                          cell(percentile(errors, .5)), cell(percentile(sync.absolute_ms(), .95)),
                          cell(worst), static_cast<double>(sync.missing_beeps),
                          static_cast<double>(sync.missing_flashes),
                          cell(reported_frames_lost(player.report)),
                          cell(reported_of_sound(player.report, "delay_ms"))});
    panel.series.push_back(std::move(series));
    outcome.targets.push_back({.what = fmt::format("{}: worst error either way, ms", link.name),
                               .wanted = kTargetMs,
                               .got = worst});
    outcome.targets.push_back({.what = fmt::format("{}: beeps missing", link.name),
                               .wanted = 0,
                               .got = static_cast<double>(sync.missing_beeps)});
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(
      {.name = name, .title = "Lip sync over bad links", .panels = {std::move(panel)}});
  outcome.notes.push_back(
      "Times are those at which a picture is handed to the screen, and at which sound is due at "
      "the loudspeaker as its device says; headless, both are the program's own clock. A beep's "
      "onset is known to 2.5 ms. The scene is black but for the flash, so its frames are small: "
      "beside the rival alone the link is full.");
  return outcome;
}

Outcome evaluate_served(const ExperimentOptions& options, std::span<const RunResult> results) {
  return evaluate(options, results, "lipsync",
                  "'qvid serve test:sync' and 'qvid play --headless'.");
}
Outcome evaluate_room(const ExperimentOptions& options, std::span<const RunResult> results) {
  return evaluate(options, results, "lipsync-room",
                  "'qvid broker', beside it 'qvid publish test:sync', and over the link 'qvid "
                  "watch --headless'.");
}

}  // namespace
}  // namespace lipsync

const Experiment kLipsync = {.name = "lipsync",
                             .title = "Lip sync of what is served",
                             .source = "",
                             .plan = lipsync::plan_served,
                             .evaluate = lipsync::evaluate_served};
const Experiment kLipsyncRoom = {.name = "lipsync-room",
                                 .title = "Lip sync through a broker",
                                 .source = "",
                                 .plan = lipsync::plan_room,
                                 .evaluate = lipsync::evaluate_room};

}  // namespace qvid::lab
