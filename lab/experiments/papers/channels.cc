// The product by TCP alone, by datagrams alone, and as it comes, where packets are lost, late or there
// twice, and where networks do to UDP what networks do. Not in the papers.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {
namespace channels {
namespace {

constexpr const char* kChannelsLink = "rate=4mbit delay=30ms queue=100ms";
constexpr const char* kClean = "a clean link";
constexpr const char* kOutage = "no UDP from 6 to 9 s";
constexpr const char* kForgetful = "a NAT forgets at 8 s";
constexpr const char* kLimited = "UDP limited to 0.3 Mbit/s";
constexpr const char* kBlocked = "no UDP";

struct Case {
  const char* name;
  const char* words;
  bool carries_udp = true;  // all the time, as much as there is
};
constexpr std::array<Case, 11> kCases{{
    {kClean, ""},
    {"1% lost", "loss=1%"},
    {"2% lost", "loss=2%"},
    {"5% lost", "loss=5%"},
    {"10% lost", "loss=10%"},
    {"2% come 20 ms later", "reorder=2%+20ms"},
    {"2% come twice", "duplicate=2%"},
    {kForgetful, "down:udp-forget=8s"},
    {kOutage, "udp-outage=6s+3s", false},
    {kLimited, "udp=300kbit", false},
    {kBlocked, "udp=drop", false},
}};
// As `--udp` has them.
constexpr const char* kTcp = "never";
constexpr const char* kBoth = "auto";
constexpr std::array<const char*, 3> kWays = {kTcp, "only", kBoth};

std::string name_of(const Case& c, const char* way) { return fmt::format("{}, {}", c.name, way); }

bool is_tried(const Case& c, const char* way) {
  return c.carries_udp || way != std::string_view("only");
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Case& c : kCases) {
    for (const char* way : kWays) {
      if (!is_tried(c, way)) continue;
      RunSpec run{.name = name_of(c, way), .link = fmt::format("{} {}", kChannelsLink, c.words)};
      run.programs.serve = {"test", "--size", "640x480", "--bitrate", "2500k"};
      run.programs.players = {{.group = way, .arguments = {"--udp", way}}};
      run.duration = 13s;  // the outage is at its time, however much time there is
      run.warm_up = 4s;
      run.seed = options.seed;
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

struct Seen {
  Smoothness smooth;
  double mbps = 0;
  double delay = 0;  // median, ms
  double delay_p99 = 0;
  double first_s = 0;  // the first picture, since the program began
  double by_udp = 0;   // messages a second
};

double number_of(const PlayerResult& player, std::string_view name) {
  const auto found = player.report.find(name);
  return found == player.report.end() ? 0 : found->second;
}

std::optional<Seen> seen_in(const RunResult* run) {
  if (run == nullptr || !run->players[0].error.empty()) return std::nullopt;
  const PlayerResult& player = run->players[0];
  const TimeSpan span{to_seconds(run->spec.warm_up), to_seconds(run->spec.duration)};
  const std::vector<FrameInstant> frames = instants_of(player);
  const auto smooth = smoothness(frames, span);
  if (!smooth) return std::nullopt;
  Seen seen{.smooth = *smooth};
  const std::vector<double> delays = delays_in(frames, {span});
  seen.delay = percentile(delays, .5);
  seen.delay_p99 = percentile(delays, .99);
  for (const PlayedFrame& frame : player.frames) {
    if (!frame.shown_ms) continue;
    seen.first_s = *frame.shown_ms / 1e3;
    break;
  }
  const double seconds = number_of(player, "seconds");
  if (seconds > 0) {
    seen.mbps = 8e-6 * number_of(player, "bytes") / seconds;
    seen.by_udp = number_of(player, "messages_by_udp") / seconds;
  }
  return seen;
}

void judge(const Case& c, const Seen& tcp, const Seen& both, Outcome& outcome) {
  const auto target = [&](const char* what, double wanted, bool at_least, double got) {
    outcome.targets.push_back({.what = fmt::format("{}: {}", c.name, what),
                               .wanted = wanted,
                               .at_least = at_least,
                               .got = got});
  };
  const std::string_view name = c.name;
  target("frames shown a second, less TCP's", -1, true,
         both.smooth.frames_a_second - tcp.smooth.frames_a_second);
  if (name == kClean) target("median delay, more than TCP's, ms", 5, false, both.delay - tcp.delay);
  if (name == kOutage || name == kForgetful)
    target("longest gap, ms", kFreezeMs, false, both.smooth.longest_gap_ms);
  if (name == kLimited) target("rate, of TCP's", .8, true, both.mbps / tcp.mbps);
  if (name == kBlocked) {
    target("first picture, later than with TCP alone, ms", 20, false,
           1e3 * (both.first_s - tcp.first_s));
  }
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid serve test --size 640x480 --bitrate 2500k' and 'qvid play --headless' over 4 Mbit/s, 60 ms of "
      "round trip, a queue of 100 ms; what is told of the link is done in both directions, but for the NAT, which is the player's. Ways: --udp of "
      "the player: TCP alone (never), datagrams alone (only), as it comes (auto).";
  Table table{.title = "By TCP, by UDP and as it comes",
              .columns = {{.name = "link"},
                          {.name = "way"},
                          {.name = "Mbit/s", .decimals = 2},
                          {.name = "frames shown a second", .decimals = 1},
                          {.name = "longest gap, ms"},
                          {.name = "delay, median, ms"},
                          {.name = "99%, ms"},
                          {.name = "first picture, s", .decimals = 2},
                          {.name = "messages by UDP, a second"}},
              .rows = {}};
  for (const Case& c : kCases) {
    std::optional<Seen> tcp;
    for (const char* way : kWays) {
      if (!is_tried(c, way)) continue;
      const auto seen = seen_in(run_named(results, name_of(c, way)));
      std::vector<Cell> row = {std::string(c.name), std::string(way)};
      if (seen) {
        row.insert(row.end(),
                   {seen->mbps, seen->smooth.frames_a_second, seen->smooth.longest_gap_ms,
                    cell(seen->delay), cell(seen->delay_p99), seen->first_s, seen->by_udp});
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
      if (way == kTcp) tcp = seen;
      if (way == kBoth && tcp && seen) judge(c, *tcp, *seen, outcome);
    }
  }
  outcome.tables.push_back(std::move(table));
  return outcome;
}

}  // namespace
}  // namespace channels

const Experiment kChannels = {.name = "channels",
                              .title = "By TCP and by UDP",
                              .source = "",
                              .plan = channels::plan,
                              .evaluate = channels::evaluate};

}  // namespace qvid::lab
