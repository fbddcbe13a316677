// Stored video of the product beside the same file over plain TCP, by Goddard's measures (004
// section 5.2.3): the product drops layers where the link lacks, a browser waits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "lab/bed/progressive.h"
#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/streaming_measure.h"

namespace qvid::lab {
namespace stored {
namespace {

constexpr Duration kOpens = 2s;   // since the run's begin: by then the rivals are at full rate
constexpr Duration kAfter = 4s;   // from the video's length on, for what waits
constexpr Duration kBrief = 40s;  // of video
constexpr Duration kFull = 120s;
constexpr Duration kPhase = 15s;  // of the link that switches, at one rate
constexpr std::string_view kQvid = "qvid";
constexpr std::string_view kPlain = "plain TCP";
constexpr const char* kRivals = "rivals";
// Where the viewer goes: after so many seconds, to that place of the video.
constexpr const char* kSeeks[] = {"3=30", "6=2", "9=21.5", "12=36"};
constexpr Duration kSeeking = 18s;  // the end of the video comes before
constexpr double kRoundTripMs = 30;
constexpr double kGroupDecodeMs = 60;  // of 30 frames of 640x480, and two frames to show the first

struct Link {
  const char* name;
  const char* words;
  bool switches;
  std::size_t rivals;
  bool seeks;
};
// 600 kbit/s are 1.2 times the base layer's nominal rate, a fifth of 2.5 Mbit/s.
constexpr std::array<Link, 5> kLinks = {
    {{"16 Mbit/s", "rate=16mbit delay=15ms queue=60ms", false, 0, false},
     {"4 and 0.6 Mbit/s", "rate=4mbit delay=15ms queue=60kB", true, 0, false},
     {"1.2 x base", "rate=600kbit delay=15ms queue=60kB", false, 0, false},
     {"4 Mbit/s, two rivals", "rate=4mbit delay=15ms queue=60kB", false, 2, false},
     {"16 Mbit/s, four seeks", "rate=16mbit delay=15ms queue=60ms", false, 0, true}}};

Duration length_of(const ExperimentOptions& options) { return options.full ? kFull : kBrief; }

std::string name_of(const Link& link, std::string_view viewer) {
  return fmt::format("{}, {}", link.name, viewer);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Link& link : kLinks) {
    for (const std::string_view viewer : {kQvid, kPlain}) {
      if (link.seeks && viewer == kPlain) continue;  // a browser asks for the file anew
      RunSpec run{.name = name_of(link, viewer), .link = link.words};
      run.duration = kOpens + (link.seeks ? kSeeking : length_of(options) + kAfter);
      run.warm_up = 1s;
      run.seed = options.seed;
      if (link.switches) {
        for (Duration at = kPhase; at < run.duration; at += 2 * kPhase) {
          run.link += fmt::format(" rate@{:.0f}s=600kbit rate@{:.0f}s=4mbit", to_seconds(at),
                                  to_seconds(at + kPhase));
        }
      }
      if (link.rivals > 0) {
        run.flows = {{.group = kRivals,
                      .sender = "cubic",
                      .workload = Workload::kGreedy,
                      .count = link.rivals}};
      }
      if (viewer == kQvid) {
        run.programs.serve = {"test", "--size", "160x120"};  // nobody watches that
        run.programs.stored = length_of(options);
        run.programs.players = {
            {.group = std::string(kQvid), .video = kStoredName, .start = kOpens}};
        if (link.seeks) {
          for (const char* seek : kSeeks) {
            run.programs.players[0].arguments.insert(run.programs.players[0].arguments.end(),
                                                     {"--seek", seek});
          }
        }
      } else {
        run.flows.push_back({.group = std::string(kPlain),
                             .sender = "cubic",
                             .workload = Workload::kGreedy,
                             .start = kOpens});
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

// The slowest of its seeks, ms.
double slowest_seek_ms(const ReportNumbers& report) {
  double slowest = kNothingMeasured;
  for (std::size_t i = 0; i < std::size(kSeeks); ++i) {
    const double seek = stored_number(report, fmt::format("seek_ms.{}", i));
    if (seek == seek) slowest = slowest == slowest ? std::max(slowest, seek) : seek;
  }
  return slowest;
}

struct Measures {
  StreamingRow row{};
  double slowest_seek_ms = kNothingMeasured;
};

const FlowResult* flow_of(const RunResult& run, std::string_view group) {
  const auto found = std::find_if(run.flows.begin(), run.flows.end(),
                                  [&](const FlowResult& flow) { return flow.group == group; });
  return found == run.flows.end() ? nullptr : &*found;
}

// The file is told by the runs that played it.
const StoredVideo* video_of(std::span<const RunResult> results) {
  for (const RunResult& run : results) {
    if (run.error.empty() && run.stored) return &run.stored->video;
  }
  return nullptr;
}

std::optional<Measures> measured(std::span<const RunResult> results, const Link& link,
                                 std::string_view viewer, const StoredVideo* video) {
  const RunResult* run = run_named(results, name_of(link, viewer));
  if (!run || !video) return std::nullopt;
  if (viewer == kQvid) {
    const PlayerResult& player = run->players.at(0);
    if (!player.error.empty()) return std::nullopt;
    return Measures{.row = streaming_row(player.report),
                    .slowest_seek_ms = slowest_seek_ms(player.report)};
  }
  const FlowResult* flow = flow_of(*run, kPlain);
  if (!flow) return std::nullopt;
  std::vector<std::int64_t> slots;
  for (const FlowSlot& slot : flow->slots) slots.push_back(slot.delivered);
  const Timestamp end(run->spec.duration);
  return Measures{
      .row = streaming_row(play_progressively(*video, slots, flow->start, end).summary(end))};
}

Outcome evaluate(const ExperimentOptions& options, std::span<const RunResult> results) {
  Outcome outcome;
  const StoredVideo* video = video_of(results);
  outcome.conditions = fmt::format(
      "{:.0f} s of the test scene, 640x480 at 30 frames a second, prepared at 2.5 Mbit/s. Qvid: "
      "'qvid serve --files' and 'qvid play --headless'. Plain TCP: the same bytes in the order of "
      "the file over one cubic connection; it plays when two seconds are there, and waits for two "
      "seconds where it runs dry. 30 ms of round trip, drop-tail of 60 kB (16 Mbit/s: 60 ms). 4 "
      "and "
      "0.6: 15 s each in turn. Rivals: two greedy cubic flows the same way. Jitter is the standard "
      "deviation of the intervals at which frames are received. Seeks: after 3, 6, 9 and 12 s to "
      "30, "
      "2, 21.5 and 36 s; wanted is two round trips, and 60 ms to decode up to a group.",
      to_seconds(length_of(options)));
  if (video) {
    outcome.conditions += fmt::format(" The file has {:.0f} kbit/s, its base {:.0f}.",
                                      video->total_rate().kbps(), video->base_rate().kbps());
  }
  Table table{.title = "Stored video",
              .columns = {{.name = "link"},
                          {.name = "viewer"},
                          {.name = "start-up, s", .decimals = 2},
                          {.name = "re-buffering"},
                          {.name = "re-buffering, s", .decimals = 1},
                          {.name = "played, s", .decimals = 1},
                          {.name = "layers shown", .decimals = 2},
                          {.name = "time with all layers", .decimals = 2},
                          {.name = "switches"},
                          {.name = "jitter, ms", .decimals = 1},
                          {.name = "slowest seek, ms"}},
              .rows = {}};
  for (const Link& link : kLinks) {
    for (const std::string_view viewer : {kQvid, kPlain}) {
      if (link.seeks && viewer == kPlain) continue;
      const std::optional<Measures> m = measured(results, link, viewer, video);
      const StreamingRow row = m ? m->row : StreamingRow();
      const double slowest_seek = m ? m->slowest_seek_ms : kNothingMeasured;
      const double full =
          video ? row.share[static_cast<std::size_t>(video->layers)] : kNothingMeasured;
      table.rows.push_back({std::string(link.name), std::string(viewer), cell(row.start_up),
                            cell(row.stalls), cell(row.stalled), cell(row.played), cell(row.level),
                            cell(full), cell(row.switches), cell(row.jitter_ms),
                            cell(slowest_seek)});
      if (!m || viewer != kQvid) continue;
      if (link.seeks) {
        outcome.targets.push_back({.what = fmt::format("{}: slowest, ms", link.name),
                                   .wanted = 2 * kRoundTripMs + kGroupDecodeMs,
                                   .got = slowest_seek});
      }
      outcome.targets.push_back({.what = fmt::format("{}: re-buffering events", link.name),
                                 .wanted = 0,
                                 .got = row.stalls});
      outcome.targets.push_back(
          {.what = fmt::format("{}: start-up, s", link.name), .wanted = 1, .got = row.start_up});
    }
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back(
      "A run ends four seconds after the video would have: what has not been played by then counts "
      "as not played. Plain TCP shows all layers or nothing.");
  return outcome;
}

}  // namespace
}  // namespace stored

const Experiment kStored = {.name = "stored",
                            .title = "Stored video beside plain TCP",
                            .source = "measures: 004 section 5.2.3",
                            .plan = stored::plan,
                            .evaluate = stored::evaluate};

}  // namespace qvid::lab
