// A broker and faults of its machine, or of those of its clients: what the viewers of a room see of it.
// Not in the papers.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {
namespace faults {
namespace {

struct Case {
  const char* name;
  BrokerTrouble trouble;
};
constexpr std::array<Case, 9> kCases{{
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
  std::vector<RunSpec> runs;
  for (const Case& c : kCases) {
    RunSpec run{.name = c.name, .trial = BrokerTrial{.trouble = c.trouble}};
    set_length(run, {.brief = 23s, .warm_up = 5s, .full = 65s, .full_warm_up = 5s}, options);
    runs.push_back(std::move(run));
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid broker' with TLS, and in a process beside it a publisher of 500 kbit/s, 30 items a second, "
      "and 50 viewers of it. What happens, happens a second after the measured time began. Halts: "
      "SIGSTOP. Gone without a word: their link carries nothing any more, and they are killed. No file: "
      "RLIMIT_NOFILE is 1; memory: RLIMIT_DATA.";
  Table table{.title = "A room meanwhile",
              .columns = {{.name = "fault"},
                          {.name = "viewers' longest gap, ms"},
                          {.name = "delay, median, ms", .decimals = 1},
                          {.name = "99%", .decimals = 1},
                          {.name = "lost, %", .decimals = 2},
                          {.name = "sessions lost"},
                          {.name = "CPU of the broker, of a core", .decimals = 2},
                          {.name = "how many"},
                          {.name = "noticed after, s", .decimals = 1}},
              .rows = {}};
  for (const Case& c : kCases) {
    const RunResult* run = run_named(results, c.name);
    if (run == nullptr) {
      std::vector<Cell> row(table.columns.size());
      row[0] = std::string(c.name);
      table.rows.push_back(std::move(row));
      continue;
    }
    const BrokerTrialResult& r = run->trial;
    table.rows.push_back({std::string(c.name), r.longest_gap_ms, r.delay_ms, r.delay_p99_ms,
                          100 * r.lost, r.sessions_lost, r.broker_cpu, r.done,
                          r.over_s ? Cell(*r.over_s) : kNothing});
    if (c.trouble == BrokerTrouble::kNone) continue;
    const bool halt = c.trouble == BrokerTrouble::kHalt;
    outcome.targets.push_back({.what = fmt::format("{}: viewers' longest gap, ms", c.name),
                               .wanted = halt ? kHaltMs + kMostAfterHaltMs : kFreezeMs,
                               .got = r.longest_gap_ms});
    outcome.targets.push_back(
        {.what = fmt::format("{}: sessions lost", c.name), .wanted = 0, .got = r.sessions_lost});
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
