// From mouth to ear on a link without trouble: clicks go in as a microphone's, and come out. Not in
// the papers; ITU-T G.114 calls up to 150 ms good for most talk.
#include <fmt/format.h>

#include <array>
#include <string>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/sound_tables.h"
#include "lab/experiments/sound_measure.h"

namespace qvid::lab {
namespace mouth_to_ear {
namespace {

constexpr Duration kBrief = 70s;
constexpr Duration kFull = 300s;
constexpr double kBegin = 5;  // s
// What has come late once is waited for that long (media/sound/jitter_meter.h).
constexpr double kForgotten = 40;    // s
constexpr double kLastSecond = 1.5;  // s before the end: a click that is spoken then is not heard
// With a picture, and alone.
constexpr double kTargetMs = 110;
constexpr double kAloneTargetMs = 60;

enum class Way { kServed, kRoom, kRoomWithoutPicture };
struct Row {
  const char* name;
  Way way;
  bool low_delay;
};
constexpr std::array<Row, 5> kRows = {
    {{"served, with a picture", Way::kServed, false},
     {"a room, with a picture", Way::kRoom, false},
     {"a room, no picture", Way::kRoomWithoutPicture, false},
     {"served, with a picture, low delay", Way::kServed, true},
     {"a room, no picture, low delay", Way::kRoomWithoutPicture, true}}};

Duration length_of(const ExperimentOptions& options) {
  return options.full ? kFull : from_seconds(to_seconds(kBrief) * options.stretch);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Row& row : kRows) {
    RunSpec run = sound_run(row.name, "rate=16mbit delay=15ms queue=60ms", TestSound::kClicks,
                            length_of(options), kBegin, options);
    ProgramSpec& programs = run.programs;
    std::vector<std::string>& sender = row.way == Way::kServed ? programs.serve : programs.member;
    switch (row.way) {
      case Way::kServed: sender = {"test", "--size", "640x480"}; break;
      case Way::kRoom: sender = {"publish", "test", "--size", "640x480"}; break;
      case Way::kRoomWithoutPicture: sender = {"call", "--no-camera", "--headless"}; break;
    }
    if (row.low_delay) {
      sender.emplace_back("--low-delay");
      programs.players[0].arguments = {"--window", "1"};
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  const TimeSpan measured{kBegin * options.stretch, to_seconds(length_of(options)) - kLastSecond};
  outcome.conditions = fmt::format(
      "A click each second, 10 ms of a tone, from a file in place of a microphone (--microphone); "
      "when it was captured and when it was heard (--output-log of both ends, on one clock). 16 "
      "Mbit/s, 30 ms of round trip: 15 ms of each delay are the path's. Served: 'qvid serve test' "
      "and 'qvid play'. A room: 'qvid broker', and beside it 'qvid publish test' or 'qvid call "
      "--no-camera', 'qvid watch' over the link. Low delay: --low-delay of the sender, and a "
      "window of one frame of the player. Measured from {:.0f} s to {:.1f} s, and alone from "
      "{:.0f} s on: by then nothing that was late at the start is waited for. What devices add is "
      "not in it: there are none.",
      measured.from, measured.to, kForgotten * options.stretch);
  Table table{.title = "From mouth to ear",
              .columns = {{.name = "how"},
                          {.name = "clicks"},
                          {.name = "missing"},
                          {.name = "median, ms"},
                          {.name = "95%, ms"},
                          {.name = "worst, ms"},
                          {.name = "from 40 s on: median, ms"},
                          {.name = "95%, ms"}},
              .rows = {}};
  Panel panel{.title = "Delay", .x_label = "s", .y_label = "ms", .series = {}};
  panel.x_range = {0, to_seconds(length_of(options))};
  for (const Row& row : kRows) {
    const RunResult* run = played_run(results, row.name);
    if (!run) {
      table.rows.push_back({std::string(row.name), {}, {}, {}, {}, {}, {}, {}});
      continue;
    }
    const ClickDelays clicks =
        click_delays(run->server.output, run->players[0].output, on_the_clock(*run, measured));
    const double settled = on_the_clock(*run, {kForgotten * options.stretch, 0}).from;
    std::vector<double> delays;
    std::vector<double> settled_delays;
    Series series{.name = row.name, .points = {}};
    for (const OutputValue& click : clicks.delays) {
      delays.push_back(click.value);
      if (click.at >= settled) settled_delays.push_back(click.value);
      series.points.emplace_back(click.at - to_seconds(run->begin.time_since_epoch()), click.value);
    }
    const double most = percentile(delays, .95);
    table.rows.push_back({std::string(row.name), static_cast<double>(delays.size()),
                          static_cast<double>(clicks.missing), cell(percentile(delays, .5)),
                          cell(most), cell(percentile(delays, 1)),
                          cell(percentile(settled_delays, .5)),
                          cell(percentile(settled_delays, .95))});
    panel.series.push_back(std::move(series));
    outcome.targets.push_back(
        {.what = fmt::format("{}: delay, 95%, ms", row.name),
         .wanted = row.way == Way::kRoomWithoutPicture ? kAloneTargetMs : kTargetMs,
         .got = most});
    outcome.targets.push_back({.what = fmt::format("{}: clicks missing", row.name),
                               .wanted = 0,
                               .got = static_cast<double>(clicks.missing)});
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back(
      {.name = "mouth-to-ear", .title = "From mouth to ear", .panels = {std::move(panel)}});
  return outcome;
}

}  // namespace
}  // namespace mouth_to_ear

const Experiment kMouthToEar = {.name = "mouth-to-ear",
                                .title = "From mouth to ear on a clean link",
                                .source = "",
                                .plan = mouth_to_ear::plan,
                                .evaluate = mouth_to_ear::evaluate};

}  // namespace qvid::lab
