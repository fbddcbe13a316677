// One server of the product and ten viewers of it: a frame is encoded once, and a viewer that
// stands still or dies is nobody else's trouble. Not in the papers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {
namespace viewers {
namespace {

constexpr double kBegin = 6;     // s; until then they come, one after the other
constexpr double kEnd = 30;      // s
constexpr double kTrouble = 10;  // s
constexpr double kBack = 16;     // s
constexpr double kApart = 0.3;   // s from one viewer's start to the next one's
constexpr const char* kWatching = "watching";
constexpr const char* kTroubled = "troubled";

enum class Trouble { kNone, kPauses, kHalts, kDies };
struct Case {
  const char* name;
  std::size_t viewers;
  Trouble trouble;
};
constexpr std::array<Case, 5> kCases = {{{"1 viewer", 1, Trouble::kNone},
                                         {"10 viewers", 10, Trouble::kNone},
                                         {"10 viewers, one halts", 10, Trouble::kHalts},
                                         {"10 viewers, one dies", 10, Trouble::kDies},
                                         {"10 viewers, one pauses", 10, Trouble::kPauses}}};

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Case& c : kCases) {
    RunSpec run{.name = c.name, .link = "rate=60mbit delay=15ms queue=60ms"};
    run.programs.serve = {"test", "--size", "320x240", "--bitrate", "800k"};
    for (std::size_t i = 0; i < c.viewers; ++i) {
      run.programs.players.push_back(
          {.group = kWatching, .start = from_seconds(kApart * static_cast<double>(i))});
    }
    if (c.trouble != Trouble::kNone) {
      PlayerSpec& troubled = run.programs.players.back();
      troubled.group = kTroubled;
      if (c.trouble == Trouble::kPauses) {
        // Its own clock begins with its start.
        troubled.arguments = {
            "--pause",
            fmt::format("{:.1f}={:.1f}", kTrouble - to_seconds(troubled.start), kBack - kTrouble)};
      } else if (c.trouble == Trouble::kHalts) {
        troubled.halt = from_seconds(kTrouble);
        troubled.go_on = from_seconds(kBack);
      } else {
        troubled.kill = from_seconds(kTrouble);
      }
    }
    run.duration = from_seconds(kEnd);
    run.warm_up = from_seconds(kBegin);
    run.seed = options.seed;
    runs.push_back(std::move(run));
  }
  return runs;
}

Cell number(const ReportNumbers& report, std::string_view path) {
  const auto found = report.find(path);
  return found == report.end() ? Cell(kNothing) : cell(found->second);
}

struct Seen {
  double longest_gap_ms = 0;     // the worst of them
  double lost = 0;               // of all together
  double fewest_a_second = 1e9;  // of the one that was shown the fewest
};
// What those saw that had no trouble of their own; nothing: one of them saw nothing.
std::optional<Seen> seen_by_watching(const RunResult& run) {
  Seen all;
  for (const PlayerResult& player : run.players) {
    if (player.group != kWatching) continue;
    if (!player.error.empty()) return std::nullopt;
    const auto one = smoothness(instants_of(player), {kBegin, kEnd});
    if (!one) return std::nullopt;
    all.longest_gap_ms = std::max(all.longest_gap_ms, one->longest_gap_ms);
    all.lost += static_cast<double>(one->lost);
    all.fewest_a_second = std::min(all.fewest_a_second, one->frames_a_second);
  }
  return all;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid serve test --size 320x240 --bitrate 800k' and headless players, all on one machine, "
      "over 60 Mbit/s with 30 ms of round trip; measured from 6 to 30 s. Pauses: from 10 to 16 s. "
      "Halts: SIGSTOP from 10 to "
      "16 s, SIGCONT then. Dies: SIGKILL at 10 s. CPU is the server process's: capture, encoder, "
      "TLS and sockets.";
  Table table{.title = "One server",
              .columns = {{.name = "viewers"},
                          {.name = "frames encoded"},
                          {.name = "encoder, ms a frame", .decimals = 2},
                          {.name = "CPU of the server, of a core", .decimals = 3},
                          {.name = "the others' longest gap, ms"},
                          {.name = "their lost frames"},
                          {.name = "fewest frames shown a second", .decimals = 2}},
              .rows = {}};
  std::optional<Seen> without;  // trouble
  for (const Case& c : kCases) {
    const RunResult* run = run_named(results, c.name);
    const auto seen = run ? seen_by_watching(*run) : std::nullopt;
    if (!seen) {
      table.rows.push_back({std::string(c.name), {}, {}, {}, {}, {}, {}});
      continue;
    }
    table.rows.push_back({std::string(c.name), number(run->server.report, "encoder.frames"),
                          number(run->server.report, "encoder.ms_per_frame"),
                          run->server.cpu_seconds / (kEnd - kBegin), seen->longest_gap_ms,
                          seen->lost, seen->fewest_a_second});
    if (c.trouble == Trouble::kNone) {
      if (c.viewers > 1) without = seen;
      continue;
    }
    outcome.targets.push_back({.what = fmt::format("{}: the others' longest gap, ms", c.name),
                               .wanted = kFreezeMs,
                               .got = seen->longest_gap_ms});
    if (!without) continue;
    outcome.targets.push_back({.what = fmt::format("{}: the others' lost frames", c.name),
                               .wanted = without->lost,
                               .got = seen->lost});
  }
  const auto frames = [&](const char* name) {
    const RunResult* run = run_named(results, name);
    if (!run) return kNothingMeasured;
    const auto found = run->server.report.find("encoder.frames");
    return found == run->server.report.end() ? kNothingMeasured : found->second;
  };
  const double ratio = frames(kCases[1].name) / frames(kCases[0].name);
  if (ratio == ratio) {
    outcome.targets.push_back(
        {.what = "frames encoded for ten over those for one", .wanted = 1.02, .got = ratio});
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back(
      "Frames are encoded from the server's start to its end, with or without the first seconds; "
      "where fewer are encoded than the time has, the machine was short of CPU time.");
  return outcome;
}

}  // namespace
}  // namespace viewers

const Experiment kViewers = {.name = "viewers",
                             .title = "Ten viewers of one server",
                             .source = "",
                             .plan = viewers::plan,
                             .evaluate = viewers::evaluate};

}  // namespace qvid::lab
