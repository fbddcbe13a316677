// A cluster of three brokers, of which one goes, or its directory; and what a hop costs. Not in the
// papers.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace cluster {
namespace {

struct Case {
  ClusterFault fault;
  const char* name;
  double moved_ms;   // wanted of who was at the node that goes, and of who watches one who was
  double others_ms;  // wanted of the others
};
// A killed node's clients are to be back within 3 s; a drained one's are not to notice.
constexpr std::array<Case, 4> kFaults{
    {{.fault = ClusterFault::kKilled, .name = "killed", .moved_ms = 3000, .others_ms = 250},
     {.fault = ClusterFault::kDrained, .name = "drained", .moved_ms = 250, .others_ms = 250},
     {.fault = ClusterFault::kNatsInPart,
      .name = "one NATS killed",
      .moved_ms = 250,
      .others_ms = 250},
     {.fault = ClusterFault::kWithoutNats,
      .name = "NATS killed",
      .moved_ms = 250,
      .others_ms = 250}}};
constexpr const char* kCutOff = "cut off";
constexpr double kMostBackMs =
    5000;  // since it is cut off no more: a link is dialled each 4 s, or more often
constexpr const char* kRolling = "all restarted";
constexpr double kMostRollingMs = 250;
constexpr const char* kMany = "300 viewers";
constexpr double kMostAway = 0.01;  // of what is calculated
constexpr const char* kHop = "a hop";
constexpr double kMostHopMs = 5;
// s. Servers that were gone, or apart, elect who leads them in 4 to 9 s.
constexpr double kMostRecovery = 5;
constexpr double kMostElection = 9;
constexpr Duration kAbout = std::chrono::seconds(25);  // a run takes, for the progress

std::vector<RunSpec> plan(const ExperimentOptions&) {
  std::vector<RunSpec> runs;
  for (const Case& c : kFaults) {
    runs.push_back({.name = c.name, .cluster = ClusterTrial{.fault = c.fault}, .duration = kAbout});
  }
  runs.push_back(
      {.name = kCutOff, .cluster = ClusterTrial{.fault = ClusterFault::kCut}, .duration = kAbout});
  runs.push_back({.name = kRolling,
                  .cluster = ClusterTrial{.fault = ClusterFault::kRolling},
                  .duration = 2 * kAbout});
  runs.push_back({.name = kMany,
                  .cluster = ClusterTrial{.fault = ClusterFault::kViewers},
                  .duration = kAbout});
  runs.push_back({.name = kHop, .cluster = ClusterTrial{}, .duration = kAbout});
  return runs;
}

std::optional<double> number(const RunResult* run, const std::string& key) {
  if (run == nullptr) return {};
  const auto found = run->cluster.find(key);
  return found == run->cluster.end() ? std::nullopt : std::optional(found->second);
}

Cell cell_of(std::optional<double> number) { return number ? Cell(*number) : kNothing; }

void want(Outcome& outcome, const std::string& what, std::optional<double> got, double wanted,
          bool at_least = false) {
  if (got) {
    outcome.targets.push_back({.what = what, .wanted = wanted, .at_least = at_least, .got = *got});
  }
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Three sites, each behind a link of 100 Mbit/s and 5 ms to the middle, so 20 ms of round trip from one to "
      "another: 'qvid broker' with TLS at each, nodes a, b and c of a cluster, and a server of NATS. "
      "Ann publishes at a, Bob at b, 320x180 at 30 pictures a second each; 'qvid watch' at a "
      "and at c watch Bob, one at b watches Ann. A gap is the longest time between two pictures that "
      "one of them was shown in the 8 s after the fault. Cut off: nothing comes from site c or goes there for 5 s. "
      "All restarted: nine parties of a call, three at each node, "
      "160x120 at 30 pictures a second, decoded without processes of their own; node after node gets SIGTERM, drains for 4 s, ends, and is started "
      "again. 300 viewers: in three rooms with a publisher at a each, 30 items a second of four parts, a third of the "
      "viewers at each node; each part is a fragment. A hop: items that are published at a, as "
      "they come at a and at b, 30 a second.";
  Table gaps{.title = "Longest gaps, ms",
             .columns = {{.name = "node a, or NATS"},
                         {.name = "who was at a"},
                         {.name = "who watches one who was at a"},
                         {.name = "the others"}},
             .rows = {}};
  for (const Case& c : kFaults) {
    const RunResult* run = run_named(results, c.name);
    const auto mover = number(run, "gap_ms.at-a");
    const auto of_mover = number(run, "gap_ms.at-b");
    const auto other = number(run, "gap_ms.at-c");
    const std::string name = c.name;
    gaps.rows.push_back({name, cell_of(mover), cell_of(of_mover), cell_of(other)});
    want(outcome, name + ": gap of who was there, ms", mover, c.moved_ms);
    want(outcome, name + ": gap of who watches one who was there, ms", of_mover, c.moved_ms);
    want(outcome, name + ": gap of the others, ms", other, c.others_ms);
  }
  outcome.tables.push_back(std::move(gaps));
  want(outcome, "one NATS killed: until somebody new is in, s",
       number(run_named(results, kFaults[2].name), "recovery_s"), kMostRecovery);
  const RunResult* nats = run_named(results, kFaults[3].name);
  want(outcome, "NATS killed: somebody new is refused", number(nats, "refused"), 1, true);
  want(outcome, "NATS again: until somebody new is in, s", number(nats, "recovery_s"),
       kMostRecovery + kMostElection);
  const RunResult* cut = run_named(results, kCutOff);
  const auto cut_gap = number(cut, "gap_ms.at-c");
  const auto cut_ms = number(cut, "cut_ms");
  const std::optional<double> back =
      cut_gap && cut_ms ? std::optional(*cut_gap - *cut_ms) : std::nullopt;
  outcome.tables.push_back(
      {.title = "Site c is cut off for 5 s: longest gaps, ms",
       .columns = {{.name = "of a's pictures at b"},
                   {.name = "of b's at a"},
                   {.name = "of b's at c"},
                   {.name = "c sees them again after"}},
       .rows = {{cell_of(number(cut, "gap_ms.at-b")), cell_of(number(cut, "gap_ms.at-a")),
                 cell_of(cut_gap), cell_of(back)}}});
  want(outcome, "cut off: gap of a's pictures at b, ms", number(cut, "gap_ms.at-b"),
       kFaults[0].others_ms);
  want(outcome, "cut off: gap of b's pictures at a, ms", number(cut, "gap_ms.at-a"),
       kFaults[0].others_ms);
  want(outcome, "cut off: until c sees them again, ms", back, kMostBackMs);
  want(outcome, "cut off: until somebody new is in there, s", number(cut, "recovery_s"),
       kMostRecovery + kMostElection);
  const RunResult* rolling = run_named(results, kRolling);
  const auto median = number(rolling, "gap_ms.party.median");
  const auto worst = number(rolling, "gap_ms.party.worst");
  outcome.tables.push_back(
      {.title = "All nodes restarted: longest gaps of any other's pictures, ms",
       .columns = {{.name = "median of nine parties"}, {.name = "worst"}},
       .rows = {{cell_of(median), cell_of(worst)}}});
  want(outcome, "all restarted: longest gap at any of nine parties, ms", worst, kMostRollingMs);
  const RunResult* many = run_named(results, kMany);
  const auto published = number(many, "published");
  outcome.tables.push_back(
      {.title = "300 viewers: fragments",
       .columns = {{.name = "published at a"},
                   {.name = "over the link from a to b"},
                   {.name = "from a to c"},
                   {.name = "over all others"},
                   {.name = "parts that came to viewers"}},
       .rows = {{cell_of(published), cell_of(number(many, "link.b.a")),
                 cell_of(number(many, "link.c.a")), cell_of(number(many, "link.others")),
                 cell_of(number(many, "delivered"))}}});
  for (const auto& [name, key] : {std::pair("b", "link.b.a"), {"c", "link.c.a"}}) {
    const auto crossed = number(many, key);
    if (!crossed || !published || *published == 0) continue;
    want(outcome,
         std::string("300 viewers: over the link from a to ") + name +
             ", away from once what is published, of it",
         std::abs(*crossed / *published - 1), kMostAway);
  }
  want(outcome, "300 viewers: fragments over all other links", number(many, "link.others"), 0);
  const RunResult* hop = run_named(results, kHop);
  Table delays{.title = "From publisher to subscriber, ms",
               .columns = {{.name = "subscriber"},
                           {.name = "median", .decimals = 2},
                           {.name = "99%", .decimals = 2}},
               .rows = {}};
  for (const auto& [name, node] : {std::pair("at the same node", "a"), {"at another node", "b"}}) {
    const std::string key = std::string("delay_ms.") + node;
    delays.rows.push_back(
        {name, cell_of(number(hop, key + ".p50")), cell_of(number(hop, key + ".p99"))});
  }
  outcome.tables.push_back(std::move(delays));
  const auto here = number(hop, "delay_ms.a.p50");
  const auto there = number(hop, "delay_ms.b.p50");
  const auto path = number(hop, "path_ms");
  if (here && there && path) {
    want(outcome, "a hop's delay beside its path's, median, ms", *there - *here - *path,
         kMostHopMs);
  }
  outcome.notes.push_back("All of these processes, with their coders, share two cores.");
  return outcome;
}

}  // namespace
}  // namespace cluster

const Experiment kCluster = {.name = "cluster",
                             .title = "A cluster of brokers, and what becomes of a call",
                             .source = "",
                             .plan = cluster::plan,
                             .evaluate = cluster::evaluate};

}  // namespace qvid::lab
