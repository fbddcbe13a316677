// The controller by datagrams beside the controller by TCP: crowds of videos, and one flow against one
// greedy cubic flow. What is wanted of it by TCP is wanted here, too. Not in the papers.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "lab/experiments/papers/papers.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace udp_shares {
namespace {

constexpr std::array<const char*, 2> kSenders = {"pace+fo", "pace+fo+udp"};

struct Crowd {
  std::size_t flows;
  double median, p999;  // ms: targets
};
constexpr std::array<Crowd, 4> kCrowds = {
    {{8, 60, 110}, {16, 65, 120}, {24, 75, 150}, {32, 85, 200}}};

struct Duel {
  const char* name;
  const char* link;
  double share;  // target
};
constexpr std::array<Duel, 4> kDuels = {
    {{"16 Mbit/s, 60 ms of queue", "rate=16mbit delay=15ms queue=60ms", .7},
     {"6 Mbit/s, 100 ms of queue", "rate=6mbit delay=40ms queue=100ms", .7},
     {"2 Mbit/s, 60 ms of queue", "rate=2mbit delay=15ms queue=60ms", .7},
     {"2 Mbit/s, 1 s of queue", "rate=2mbit delay=15ms queue=1s", .6}}};

bool by_udp(std::string_view sender) { return sender.ends_with("+udp"); }

std::string name_of(const Crowd& crowd, const char* sender) {
  return fmt::format("{} flows, {}", crowd.flows, sender);
}
std::string name_of(const Duel& duel, const char* sender) {
  return fmt::format("{} against cubic, {}", sender, duel.name);
}

std::vector<RunSpec> plan(const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const Crowd& crowd : kCrowds) {
    for (const char* sender : kSenders) {
      RunSpec run{.name = name_of(crowd, sender), .link = std::string(kThesisLink)};
      run.flows = {{.sender = sender, .count = crowd.flows}};
      set_length(run, {.brief = 22s, .warm_up = 7s}, options);
      runs.push_back(std::move(run));
    }
  }
  for (const Duel& duel : kDuels) {
    for (const char* sender : kSenders) {
      RunSpec run{.name = name_of(duel, sender), .link = duel.link};
      run.flows = {{.group = "ours", .sender = sender, .workload = Workload::kGreedy},
                   {.group = "tcp", .sender = "cubic", .workload = Workload::kGreedy}};
      set_length(run, {.brief = 26s, .warm_up = 6s, .full = 130s, .full_warm_up = 10s}, options);
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

void add_crowds(std::span<const RunResult> results, Outcome& outcome) {
  Table table{.title = "Videos of 5 Mbit/s",
              .columns = {{.name = "flows"},
                          {.name = "sender"},
                          {.name = "median, ms"},
                          {.name = "99.9%, ms"},
                          {.name = "Jain, 500 ms", .decimals = 3},
                          {.name = "utilisation", .decimals = 3},
                          {.name = "starved slots", .decimals = 3}},
              .rows = {}};
  for (const Crowd& crowd : kCrowds) {
    for (const char* sender : kSenders) {
      std::vector<Cell> row = {static_cast<double>(crowd.flows), std::string(sender)};
      if (const RunResult* run = run_named(results, name_of(crowd, sender))) {
        const FlowFilter all = of_group("");
        const std::vector<double> ages = oldest_unacked_ms(*run, all);
        const double median = percentile(ages, .5);
        const double p999 = percentile(ages, .999);
        const double fair = jain(*run, all, 500ms);
        const double used = utilisation(*run);
        row.insert(row.end(), {cell(median), cell(p999), fair, used, starved(*run, all, 500ms)});
        if (by_udp(sender)) {
          const auto target = [&](const char* what, double wanted, bool at_least, double got) {
            outcome.targets.push_back(
                {.what = fmt::format("{} flows by UDP: {}", crowd.flows, what),
                 .wanted = wanted,
                 .at_least = at_least,
                 .got = got});
          };
          target("median oldest unacked, ms", crowd.median, false, median);
          target("99.9% oldest unacked, ms", crowd.p999, false, p999);
          target("Jain, 500 ms", .93, true, fair);
          target("utilisation", .97, true, used);
        }
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
  }
  outcome.tables.push_back(std::move(table));
}

void add_duels(std::span<const RunResult> results, Outcome& outcome) {
  Table table{.title = "Against one greedy cubic flow",
              .columns = {{.name = "path"},
                          {.name = "sender"},
                          {.name = "share", .decimals = 2},
                          {.name = "cubic's share", .decimals = 2},
                          {.name = "median, ms"},
                          {.name = "99%, ms"}},
              .rows = {}};
  for (const Duel& duel : kDuels) {
    for (const char* sender : kSenders) {
      std::vector<Cell> row = {std::string(duel.name), std::string(sender)};
      if (const RunResult* run = run_named(results, name_of(duel, sender))) {
        const Duration all = run->spec.duration - run->spec.warm_up;
        const double share = mean(shares(*run, of_group("ours"), all));
        const std::vector<double> ages = oldest_unacked_ms(*run, of_group("ours"));
        row.insert(row.end(), {share, mean(shares(*run, of_group("tcp"), all)),
                               cell(percentile(ages, .5)), cell(percentile(ages, .99))});
        if (by_udp(sender)) {
          outcome.targets.push_back(
              {.what = fmt::format("by UDP against cubic, {}: share", duel.name),
               .wanted = duel.share,
               .at_least = true,
               .got = share});
        }
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
  }
  outcome.tables.push_back(std::move(table));
}

Outcome evaluate(const ExperimentOptions&, std::span<const RunResult> results) {
  Outcome outcome;
  outcome.conditions =
      "Sessions whose content goes by datagrams where they pass (pace+fo+udp) beside the same by TCP alone. "
      "Videos of 5 Mbit/s as in `latency-8` share 16 Mbit/s, 30 ms of round trip, 120 kB of queue. One greedy "
      "flow beside one greedy cubic flow as in `duel`: shares are of half the rate.";
  add_crowds(results, outcome);
  add_duels(results, outcome);
  return outcome;
}

}  // namespace
}  // namespace udp_shares

const Experiment kUdpShares = {.name = "udp-shares",
                               .title = "Fair shares by datagrams",
                               .source = "",
                               .plan = udp_shares::plan,
                               .evaluate = udp_shares::evaluate};

}  // namespace qvid::lab
