// Every experiment of the registry, without a network: its plan is one that can be run, and what it
// makes of results, good ones and failed ones, is whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lab/bed/flow_ends.h"
#include "lab/bed/stored_video.h"
#include "lab/emulator/link_spec.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {
namespace {

// Players see every frame, two of three with all layers.
void add_programs(RunResult& result) {
  if (result.spec.programs.players.empty()) return;
  for (const PlayerSpec& player : result.spec.programs.players) {
    PlayerResult& p = result.players.emplace_back();
    p.group = player.group;
    p.start = Timestamp(player.start);
    for (int i = 0; i < 30 * 130; ++i) {
      const double at = i * 1000.0 / 30;
      p.frames.push_back({.number = i,
                          .captured_ms = at,
                          .shown_ms = at,
                          .layer = i % 3 > 0 ? 1 : 0,
                          .delay_ms = 210});
    }
  }
  if (result.spec.programs.stored > Duration::zero()) {
    auto file = std::make_shared<StoredFile>();
    file->video.frame_bytes.assign(1200, 10'000);
    result.stored = std::move(file);
  }
  result.server.report = {{"encoder.frames", 900}, {"encoder.ms_per_frame", 2}};
  result.server.cpu_seconds = 3;
  result.carried.assign(static_cast<std::size_t>(result.spec.duration / kSlot), 30'000);
}

// Every flow gets a plausible something.
RunResult result_of(const RunSpec& spec) {
  RunResult result;
  result.spec = spec;
  result.measured = spec.duration - spec.warm_up;
  result.link.up.delivered_bytes = 1'000'000;
  const auto slots = static_cast<std::size_t>(spec.duration / kSlot);
  for (const FlowSpec& flow : spec.flows) {
    for (std::size_t i = 0; i < flow.count; ++i) {
      FlowResult& f = result.flows.emplace_back();
      f.group = flow.group.empty() ? flow.sender : flow.group;
      f.sender = flow.sender;
      f.workload = flow.workload;
      f.start = Timestamp(flow.start);
      f.slots.assign(slots, {.oldest_unacked_ms = 50, .delivered = 10'000});
      f.delays_ms = {40, 50};
      f.video.frames = 300;
      f.video.shown = 290;
      f.video.layers = 900;
      f.video.delivered = 1000;
      f.video.used = 900;
      f.video.shown_each_second.assign(slots / 10, 29);
      for (auto& layer : f.video.delays_ms) layer = {40, 60};
      if (flow.workload == Workload::kGoddard) {
        f.goddard = GoddardResult{.scales = {{2, 4}}, .intervals_ms = {50, 50}};
      }
    }
  }
  add_programs(result);
  return result;
}

struct Papers : testing::TestWithParam<Experiment> {
  static void expect_whole(const Outcome& outcome) {
    EXPECT_FALSE(outcome.conditions.empty());
    EXPECT_FALSE(outcome.tables.empty());
    for (const Table& table : outcome.tables) {
      EXPECT_FALSE(table.title.empty());
      EXPECT_FALSE(table.rows.empty()) << table.title;
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
    }
    EXPECT_TRUE(outcome_of(json_of(outcome)));
  }
};

TEST_P(Papers, PlansRunsThatCanBeMade) {
  for (const bool full : {false, true}) {
    const std::vector<RunSpec> runs = GetParam().plan({.full = full});
    std::set<std::string> names;
    Duration total{};
    for (const RunSpec& run : runs) {
      EXPECT_TRUE(names.insert(run.name).second) << run.name << " twice";
      EXPECT_LT(run.warm_up, run.duration) << run.name;
      if (!run.trial && !run.cluster) {
        const auto link = parse_link(run.link);
        EXPECT_TRUE(link) << (link ? "" : link.error().message);
      }
      for (const FlowSpec& flow : run.flows) EXPECT_FALSE(check_sender(flow)) << flow.sender;
      total += run.duration;
    }
    // Two at a time, about three minutes; but links with many rivals each take their time, and so do
    // many neighbours and many lines.
    const bool displays = std::ranges::any_of(
        runs, [](const RunSpec& run) { return run.programs.between != BetweenDisplays::kNothing; });
    if (!full) {
      EXPECT_LE(to_seconds(total) / 2, displays                          ? 1300
                                       : GetParam().name == "neighbours" ? 640
                                       : GetParam().name == "lines"      ? 500
                                                                         : 195);
    }
  }
}

TEST_P(Papers, MakesWholeTablesOfGoodResults) {
  std::vector<RunResult> results;
  for (const RunSpec& run : GetParam().plan({})) results.push_back(result_of(run));
  Outcome outcome = GetParam().evaluate({}, results);
  outcome.name = GetParam().name;
  expect_whole(outcome);
}

TEST_P(Papers, MakesWholeTablesWhereEveryRunFailed) {
  std::vector<RunResult> results;
  for (const RunSpec& run : GetParam().plan({})) {
    RunResult& result = results.emplace_back();
    result.spec = run;
    result.error = "failed";
  }
  Outcome outcome = GetParam().evaluate({}, results);
  outcome.name = GetParam().name;
  expect_whole(outcome);
  EXPECT_TRUE(outcome.targets.empty()) << "a target was judged without a measurement";
}

INSTANTIATE_TEST_SUITE_P(All, Papers, testing::ValuesIn(experiments().begin(), experiments().end()),
                         [](const auto& param) {
                           std::string name(param.param.name);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace qvid::lab
