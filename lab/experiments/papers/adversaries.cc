// A broker and those who want it to fail: what the viewers of a room see of it, and what it costs. Not
// in the papers.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/troubles.h"

namespace qvid::lab {
namespace adversaries {
namespace {

constexpr const char* kQuiet = "nobody";
constexpr std::array<TroubleCase, 8> kCases{{
    {kQuiet, BrokerTrouble::kNone},
    {"200 TLS handshakes a second", BrokerTrouble::kHandshakes},
    {"200 slow handshakes a second", BrokerTrouble::kSlowHandshakes},
    {"2000 requests a second", BrokerTrouble::kRequests},
    {"publishing and not, 2000 a second", BrokerTrouble::kPublishing},
    {"costly criteria", BrokerTrouble::kCriteria},
    {"20,000 tiny items a second", BrokerTrouble::kFragments},
    {"the same, positions that fall", BrokerTrouble::kDescending},
}};
constexpr double kMostCpu = 0.5;  // of a core, of one adversary

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  return plan_troubles(kCases, {.brief = 13s, .warm_up = 3s, .full = 65s, .full_warm_up = 5s},
                       options);
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid broker' on the loopback with TLS; a publisher of 500 kbit/s, 30 items a second, and 50 "
      "viewers of it in one process, and in the same the adversary, all at one address. CPU is the "
      "broker's, and what it took more than without trouble.";
  Table table = room_table("trouble", {{.name = "more than without", .decimals = 2},
                                       {.name = "CPU of the load", .decimals = 2},
                                       {.name = "done"},
                                       {.name = "closed"}});
  const RunResult* quiet = run_named(results, kQuiet);
  for (const TroubleCase& c : kCases) {
    const RunResult* run = run_named(results, c.name);
    if (run == nullptr) {
      add_room(table, c.name, nullptr, {});
      continue;
    }
    const BrokerTrialResult& r = run->trial;
    const Cell more = quiet != nullptr ? Cell(r.broker_cpu - quiet->trial.broker_cpu) : kNothing;
    add_room(table, c.name, &r, {more, r.load_cpu, r.done, r.closed});
    if (c.trouble == BrokerTrouble::kNone) continue;
    want_of_room(outcome, c.name, r, kFreezeMs);
    if (quiet == nullptr) continue;
    outcome.targets.push_back({.what = fmt::format("{}: CPU for it, of a core", c.name),
                               .wanted = kMostCpu,
                               .got = r.broker_cpu - quiet->trial.broker_cpu});
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back(
      "Done: handshakes, sockets, requests or items that the adversary got rid of in all; closed: "
      "times that the broker ended a session of his.");
  return outcome;
}

}  // namespace
}  // namespace adversaries

const Experiment kAdversaries = {.name = "adversaries",
                                 .title = "A broker and those who want it to fail",
                                 .source = "",
                                 .plan = adversaries::plan,
                                 .evaluate = adversaries::evaluate};

}  // namespace qvid::lab
