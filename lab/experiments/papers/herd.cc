// Many clients of one broker that is killed and comes back: when they are all members again. Not in
// the papers.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace {

constexpr std::array<std::size_t, 3> kHerds{100, 300, 1000};
constexpr double kMostSeconds = 10;
constexpr Duration kAbout = std::chrono::seconds(30);  // a run takes, for the progress

std::string name_of(std::size_t clients) { return fmt::format("{} clients", clients); }

std::vector<RunSpec> plan(const ExperimentOptions&) {
  std::vector<RunSpec> runs;
  for (const std::size_t clients : kHerds) {
    runs.push_back(
        {.name = name_of(clients), .trial = BrokerTrial{.herd = clients}, .duration = kAbout});
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid broker' on the loopback with TLS, killed (SIGKILL) when all are members and started "
      "again at once; rooms of 50. All clients are of one address and one process, each with a standby and "
      "its own TLS tickets, and they come back by the programs' back-off. As `qvid-lab load --herd N`.";
  Table table{.title = "Back after the broker listens again",
              .columns = {{.name = "clients"},
                          {.name = "back"},
                          {.name = "refused for good"},
                          {.name = "half of them, s", .decimals = 2},
                          {.name = "99%, s", .decimals = 2},
                          {.name = "the last, s", .decimals = 2}},
              .rows = {}};
  for (const std::size_t clients : kHerds) {
    const RunResult* run = run_named(results, name_of(clients));
    if (run == nullptr) {
      table.rows.push_back({static_cast<double>(clients), {}, {}, {}, {}, {}});
      continue;
    }
    const BrokerTrialResult& r = run->trial;
    table.rows.push_back({static_cast<double>(clients), r.back, r.refused, r.half_back_s,
                          r.most_back_s, r.last_back_s});
    outcome.targets.push_back({.what = fmt::format("{} clients: back", clients),
                               .wanted = static_cast<double>(clients),
                               .at_least = true,
                               .got = r.back});
    outcome.targets.push_back({.what = fmt::format("{} clients: the last is back, s", clients),
                               .wanted = kMostSeconds,
                               .got = r.last_back_s});
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back(
      "Clients and broker share two cores here. What each newcomer is told of its room counts, too: "
      "in rooms of 250, whose members are told of each other 250,000 times, the last of 1000 was back "
      "after 25 s.");
  return outcome;
}

}  // namespace

const Experiment kHerd = {.name = "herd",
                          .title = "A broker that is killed and comes back",
                          .source = "",
                          .plan = plan,
                          .evaluate = evaluate};

}  // namespace qvid::lab
