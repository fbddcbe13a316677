// A broker and faults of its machine, or of those of its clients: what the viewers of a room see of it.
// Not in the papers.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/troubles.h"

namespace qvid::lab {
namespace faults {
namespace {

constexpr std::array<TroubleCase, 9> kCases{{
    {"none", BrokerTrouble::kNone},
    {"200 viewers who halt", BrokerTrouble::kHaltedViewers},
    {"200 clients are gone without a word", BrokerTrouble::kGone},
    {"the broker halts for 5 s", BrokerTrouble::kHalt},
    {"no file or socket to be had for 5 s", BrokerTrouble::kNoFiles},
    {"64 MiB of memory left, 200 come and halt", BrokerTrouble::kNoMemory},
    {"the clock is an hour ahead, then behind", BrokerTrouble::kClock},
    {"another certificate each second", BrokerTrouble::kCertificates},
    {"a recorder's disk is full", BrokerTrouble::kFullDisk},
}};
constexpr double kHaltMs = 5000;
constexpr double kMostAfterHaltMs = 1500;
constexpr double kMostUntilNoticed = 15;  // s: a socket is given up after ten of silence

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  return plan_troubles(kCases, {.brief = 23s, .warm_up = 5s, .full = 65s, .full_warm_up = 5s},
                       options);
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid broker' with TLS, and in a process beside it a publisher of 500 kbit/s, 30 items a second, "
      "and 50 viewers of it. What happens, happens a second after the measured time began. Halts: "
      "SIGSTOP. Gone without a word: their link carries nothing any more, and they are killed. No file: "
      "RLIMIT_NOFILE is 1; memory: RLIMIT_DATA.";
  Table table =
      room_table("fault", {{.name = "how many"}, {.name = "noticed after, s", .decimals = 1}});
  for (const TroubleCase& c : kCases) {
    const RunResult* run = run_named(results, c.name);
    if (run == nullptr) {
      add_room(table, c.name, nullptr, {});
      continue;
    }
    const BrokerTrialResult& r = run->trial;
    add_room(table, c.name, &r, {r.done, r.over_s ? Cell(*r.over_s) : kNothing});
    if (c.trouble == BrokerTrouble::kNone) continue;
    const bool halt = c.trouble == BrokerTrouble::kHalt;
    want_of_room(outcome, c.name, r, halt ? kHaltMs + kMostAfterHaltMs : kFreezeMs);
    if (c.trouble != BrokerTrouble::kGone) continue;
    outcome.targets.push_back({.what = fmt::format("{}: noticed after, s", c.name),
                               .wanted = kMostUntilNoticed,
                               .got = r.over_s.value_or(to_seconds(run->spec.duration))});
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back(
      "How many: of clients those who were there besides; of files and certificates the handshakes of "
      "newcomers, 200 a second, that came to their end; of the clock how often it was put elsewhere.");
  return outcome;
}

}  // namespace
}  // namespace faults

const Experiment kFaults = {.name = "faults",
                            .title = "A broker and faults of machines",
                            .source = "",
                            .plan = faults::plan,
                            .evaluate = faults::evaluate};

}  // namespace qvid::lab
