// A voice beside a picture where packets are lost by chance: over datagrams each goes once more with
// the next (transport/datagram/outgoing_datagrams.h), over TCP on lanes. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/sound_tables.h"
#include "lab/experiments/sound_measure.h"

namespace qvid::lab {
namespace voice_loss {
namespace {

constexpr Duration kBrief = 70s;
constexpr Duration kFull = 300s;
constexpr double kBegin = 15;      // s; by then it is known that packets are lost
constexpr double kLastSecond = 1;  // s before the end: programs are told to end one by one
constexpr double kGapMs = 60;      // three packets; what is shorter a decoder conceals

struct Row {
  const char* name;
  int percent;
  bool datagrams;
};
constexpr std::array<Row, 4> kRows = {{{"5%, by UDP", 5, true},
                                       {"5%, by TCP alone", 5, false},
                                       {"10%, by UDP", 10, true},
                                       {"10%, by TCP alone", 10, false}}};

Duration length_of(const ExperimentOptions& options) {
  return options.full ? kFull : from_seconds(to_seconds(kBrief) * options.stretch);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Row& row : kRows) {
    RunSpec run =
        sound_run(row.name, fmt::format("rate=4mbit delay=15ms queue=100ms loss={}%", row.percent),
                  TestSound::kTalk, length_of(options), kBegin, options);
    run.programs.serve = {"test", "--size", "320x240", "--bitrate", "500k"};
    if (!row.datagrams) run.programs.players[0].arguments = {"--udp", "never"};
    runs.push_back(std::move(run));
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  const TimeSpan measured{kBegin * options.stretch, to_seconds(length_of(options)) - kLastSecond};
  outcome.conditions = fmt::format(
      "'qvid serve test --size 320x240 --bitrate 500k --microphone FILE' and 'qvid play --headless' "
      "over 4 Mbit/s with 30 ms of round trip that loses packets by chance, both ways; by TCP alone: "
      "'--udp never'. Measured from {:.0f} s to {:.0f} s. Syllables without a pause, so that quiet is "
      "a gap. Gaps heard: the output was under -50 dBFS; gaps due: sound that was due and not there, "
      "also where the decoder made something up, as the player reports them from its start.",
      measured.from, measured.to);
  Table table{.title = "A voice where packets are lost",
              .columns = {{.name = "lost, way"},
                          {.name = "longest gap heard, ms"},
                          {.name = "gaps over 60 ms"},
                          {.name = "longest gap due, ms"},
                          {.name = "concealed, ms"},
                          {.name = "packets late"},
                          {.name = "packets lost"},
                          {.name = "delay, median, ms"},
                          {.name = "95%, ms"}},
              .rows = {}};
  for (const Row& row : kRows) {
    const RunResult* run = played_run(results, row.name);
    if (!run) {
      table.rows.push_back({std::string(row.name), {}, {}, {}, {}, {}, {}, {}, {}});
      continue;
    }
    const PlayerResult& player = run->players[0];
    const TimeSpan span = on_the_clock(*run, measured);
    double longest = 0;
    double over = 0;
    for (const SoundGap& gap : gaps_in(player.output.heard, span, 0)) {
      longest = std::max(longest, gap.ms);
      over += gap.ms > kGapMs ? 1 : 0;
    }
    std::vector<double> delays;
    for (const OutputValue& d : delays_by_envelope(run->server.output, player.output, span)) {
      delays.push_back(d.value);
    }
    table.rows.push_back({std::string(row.name), longest, over,
                          cell(reported_of_sound(player.report, "longest_gap_ms")),
                          cell(reported_of_sound(player.report, "concealed_ms")),
                          cell(reported_of_sound(player.report, "late")),
                          cell(reported_of_sound(player.report, "lost")),
                          cell(percentile(delays, .5)), cell(percentile(delays, .95))});
    outcome.targets.push_back(
        {.what = fmt::format("{}: gaps heard over 60 ms", row.name), .wanted = 0, .got = over});
  }
  outcome.tables.push_back(std::move(table));
  return outcome;
}

}  // namespace
}  // namespace voice_loss

const Experiment kVoiceLoss = {.name = "voice-loss",
                               .title = "A voice where packets are lost",
                               .source = "",
                               .plan = voice_loss::plan,
                               .evaluate = voice_loss::evaluate};

}  // namespace qvid::lab
