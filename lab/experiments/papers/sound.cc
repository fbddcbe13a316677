// Sound and video of the product on 0.3 Mbit/s beside a greedy TCP flow: a voice must not break,
// whatever becomes of the picture. Not in the papers.
#include <fmt/format.h>

#include <array>
#include <string>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/sound_tables.h"
#include "lab/experiments/sound_measure.h"

namespace qvid::lab {
namespace sound {
namespace {

constexpr double kEnd = 130;       // s; two minutes are measured
constexpr double kFullEnd = 380;   // s
constexpr double kBegin = 8;       // s; the rival comes at kRivalComes
constexpr double kLastSecond = 1;  // s before the end: programs are told to end one by one
constexpr Duration kRivalComes = 3s;
constexpr double kGapMs = 60;  // three packets; what is shorter a decoder conceals
constexpr double kRivalKeeps = .35;
constexpr double kPicturesGoOn = 10;  // a second: half of what such runs have, and no slide show
constexpr const char* kProduct = "pace";

struct Row {
  const char* name;
  const char* controller;
  const char* queue;
};
constexpr std::array<Row, 3> kRows = {{{"queue of 1 s", kProduct, "queue=1s"},
                                       {"queue of 100 ms", kProduct, "queue=100ms"},
                                       {"plain TCP, queue of 100 ms", "none", "queue=100ms"}}};

double end_of(const ExperimentOptions& options) {
  return options.full ? kFullEnd : kEnd * options.stretch;
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Row& row : kRows) {
    RunSpec run = sound_run(row.name, fmt::format("rate=300kbit delay=15ms {}", row.queue),
                            TestSound::kTalk, from_seconds(end_of(options)), kBegin, options);
    run.programs.serve = {"test", "--size",       "320x240",     "--bitrate",
                          "250k", "--controller", row.controller};
    run.flows = {
        {.group = "rival", .sender = "cubic", .workload = Workload::kGreedy, .start = kRivalComes}};
    runs.push_back(std::move(run));
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  const TimeSpan measured{kBegin * options.stretch, end_of(options) - kLastSecond};
  outcome.conditions = fmt::format(
      "'qvid serve test --size 320x240 --bitrate 250k --microphone FILE' and 'qvid play "
      "--headless' over 0.3 Mbit/s with 30 ms of round trip; from {:.0f} s on a greedy cubic flow "
      "goes the same way; measured from {:.0f} s to {:.0f} s. The sound is made up: syllables "
      "without a pause, so that quiet is a gap. Gaps heard: the output was under -50 dBFS; gaps "
      "due: sound that was due and not there, also where the decoder made something up, as the "
      "player reports them from its start to its end. Delay from mouth to ear: of two seconds "
      "each, where their envelope is found again in what was heard. Plain TCP is the same program "
      "with --controller none.",
      to_seconds(kRivalComes), measured.from, measured.to);
  Table table{.title = "A voice on 0.3 Mbit/s beside greedy TCP",
              .columns = {{.name = "queue, sender"},
                          {.name = "longest gap heard, ms"},
                          {.name = "gaps over 60 ms"},
                          {.name = "longest gap due, ms"},
                          {.name = "underruns"},
                          {.name = "packets late"},
                          {.name = "packets lost"},
                          {.name = "delay, median, ms"},
                          {.name = "95%, ms"},
                          {.name = "frames a second", .decimals = 1},
                          {.name = "with all layers", .decimals = 3},
                          {.name = "the rival's share of the link", .decimals = 2}},
              .rows = {}};
  Panel delay{.title = "Mouth to ear", .x_label = "s", .y_label = "ms", .series = {}};
  Panel gaps{.title = "Gaps heard", .x_label = "s", .y_label = "ms", .series = {}};
  for (Panel* panel : {&delay, &gaps}) panel->x_range = {0, end_of(options)};
  for (const Row& row : kRows) {
    const RunResult* run = played_run(results, row.name);
    if (!run) {
      table.rows.push_back({std::string(row.name), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
      continue;
    }
    const PlayerResult& player = run->players[0];
    const double begin = to_seconds(run->begin.time_since_epoch());
    const TimeSpan span = on_the_clock(*run, measured);
    const auto all_gaps = gaps_in(player.output.heard, span, 0);
    double longest = 0;
    double over = 0;
    Series gap_points{.name = row.name, .points = {}, .style = Series::Style::kPoints};
    for (const SoundGap& gap : all_gaps) {
      longest = std::max(longest, gap.ms);
      if (gap.ms <= kGapMs) continue;
      ++over;
      gap_points.points.emplace_back(gap.at - begin, gap.ms);
    }
    std::vector<double> delays;
    Series delay_line{.name = row.name, .points = {}};
    for (const OutputValue& d : delays_by_envelope(run->server.output, player.output, span)) {
      delays.push_back(d.value);
      delay_line.points.emplace_back(d.at - begin, d.value);
    }
    const auto frames = instants_of(player);
    const auto seen = smoothness(frames, measured);
    const double due = reported_of_sound(player.report, "longest_gap_ms");
    const double rival = throughput_bps(*run, of_group("rival")) / 300e3;
    table.rows.push_back({std::string(row.name), longest, over, cell(due),
                          cell(reported_of_sound(player.report, "underruns")),
                          cell(reported_of_sound(player.report, "late")),
                          cell(reported_of_sound(player.report, "lost")),
                          cell(percentile(delays, .5)), cell(percentile(delays, .95)),
                          seen ? cell(seen->frames_a_second) : Cell(kNothing),
                          cell(share_full(frames, 1, {measured})), cell(rival)});
    delay.series.push_back(std::move(delay_line));
    gaps.series.push_back(std::move(gap_points));
    if (row.controller != std::string_view(kProduct)) continue;
    outcome.targets.push_back(
        {.what = fmt::format("{}: gaps heard over 60 ms", row.name), .wanted = 0, .got = over});
    outcome.targets.push_back(
        {.what = fmt::format("{}: longest gap due, ms", row.name), .wanted = kGapMs, .got = due});
    outcome.targets.push_back({.what = fmt::format("{}: the rival's share of the link", row.name),
                               .wanted = kRivalKeeps,
                               .at_least = true,
                               .got = rival});
    outcome.targets.push_back({.what = fmt::format("{}: frames a second", row.name),
                               .wanted = kPicturesGoOn,
                               .at_least = true,
                               .got = seen ? seen->frames_a_second : 0});
  }
  outcome.tables.push_back(std::move(table));
  outcome.plots.push_back({.name = "sound",
                           .title = "A voice on 0.3 Mbit/s beside greedy TCP",
                           .panels = {std::move(delay), std::move(gaps)}});
  return outcome;
}

}  // namespace
}  // namespace sound

const Experiment kSound = {.name = "sound",
                           .title = "A voice on a narrow link beside greedy TCP",
                           .source = "",
                           .plan = sound::plan,
                           .evaluate = sound::evaluate};

}  // namespace qvid::lab
