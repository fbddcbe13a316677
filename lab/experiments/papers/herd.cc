// Many clients of one broker that is killed and comes back: when they are all members again. Not in
// the papers.
#include <fmt/format.h>

#include <array>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace herd {
namespace {

struct Size {
  std::size_t clients;
  std::size_t of_room;
};
constexpr std::array<Size, 4> kHerds{{{.clients = 100, .of_room = 50},
                                      {.clients = 300, .of_room = 50},
                                      {.clients = 1000, .of_room = 50},
                                      {.clients = 1000, .of_room = 250}}};
constexpr double kMostSeconds = 10;
constexpr Duration kAbout = std::chrono::seconds(30);  // a run takes, for the progress

std::string name_of(const Size& size) {
  return fmt::format("{} clients, rooms of {}", size.clients, size.of_room);
}

std::vector<RunSpec> plan(const ExperimentOptions&) {
  std::vector<RunSpec> runs;
  for (const Size& size : kHerds) {
    runs.push_back({.name = name_of(size),
                    .trial = BrokerTrial{.herd = size.clients, .of_room = size.of_room},
                    .duration = kAbout});
  }
  return runs;
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "'qvid broker' on the loopback with TLS, killed (SIGKILL) when all are members and started "
      "again at once. All clients are of one address and one process, each with a standby and "
      "its own TLS tickets, and they come back by the programs' back-off. As `qvid-lab load --herd N "
      "--of-room M`. CPU: until the last is back, of a core.";
  Table table{.title = "Back after the broker listens again",
              .columns = {{.name = "clients"},
                          {.name = "of a room"},
                          {.name = "back"},
                          {.name = "refused for good"},
                          {.name = "half of them, s", .decimals = 2},
                          {.name = "99%, s", .decimals = 2},
                          {.name = "the last, s", .decimals = 2},
                          {.name = "CPU of the broker", .decimals = 2},
                          {.name = "CPU of the clients", .decimals = 2}},
              .rows = {}};
  for (const Size& size : kHerds) {
    const auto clients = static_cast<double>(size.clients);
    const auto of_room = static_cast<double>(size.of_room);
    const RunResult* run = run_named(results, name_of(size));
    if (run == nullptr) {
      table.rows.push_back({clients, of_room, {}, {}, {}, {}, {}, {}, {}});
      continue;
    }
    const BrokerTrialResult& r = run->trial;
    table.rows.push_back({clients, of_room, r.back, r.refused, r.half_back_s, r.most_back_s,
                          r.last_back_s, r.herd_broker_cpu, r.herd_cpu});
    outcome.targets.push_back(
        {.what = name_of(size) + ": back", .wanted = clients, .at_least = true, .got = r.back});
    outcome.targets.push_back({.what = name_of(size) + ": the last is back, s",
                               .wanted = kMostSeconds,
                               .got = r.last_back_s});
  }
  outcome.tables.push_back(std::move(table));
  outcome.notes.push_back(
      "Clients and broker share two cores here. What each newcomer is told of its room counts, too: "
      "in rooms of 250 the members are told of each other 250,000 times.");
  return outcome;
}

}  // namespace
}  // namespace herd

const Experiment kHerd = {.name = "herd",
                          .title = "A broker that is killed and comes back",
                          .source = "",
                          .plan = herd::plan,
                          .evaluate = herd::evaluate};

}  // namespace qvid::lab
