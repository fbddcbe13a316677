// Experiments that repeat their runs: plans with seeds, medians and worst seeds, and what they judge
// by them.
#include "lab/experiments/papers/by_seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/experiments/experiment.h"
#include "lab/experiments/statistics.h"

namespace qvid::lab {
namespace {

TEST(BySeed, HasTheMedianAndTheSeedsOfTheWorst) {
  BySeed values;
  EXPECT_TRUE(std::isnan(values.median()));
  EXPECT_TRUE(std::isnan(values.least().value));
  EXPECT_EQ(values.least().seed_cell(), Cell());
  values.add(3, .5);
  values.add(4, std::numeric_limits<double>::quiet_NaN());
  values.add(5, .9);
  EXPECT_DOUBLE_EQ(values.median(), .7);
  values.add(6, .8);
  EXPECT_DOUBLE_EQ(values.median(), .8);
  EXPECT_EQ(values.least().seed, 3u);
  EXPECT_EQ(values.greatest().seed, 5u);
  EXPECT_EQ(values.text(), "3: 0.50, 5: 0.90, 6: 0.80");
  values.add(0, .1);
  EXPECT_EQ(values.least().seed_cell(), Cell(0.0));
}

TEST(BySeed, PlansEachRunWithEachSeed) {
  const ExperimentOptions options{.seed = 7, .seeds = 3};
  std::vector<RunSpec> runs;
  add_with_seeds(runs, {.name = "a"}, seeds_of(options, 1, 20), options);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].name, "a, seed=7");
  EXPECT_EQ(runs[2].seed, 9u);
  EXPECT_EQ(seeds_of({.full = true}, 1, 20), 20u);
  EXPECT_EQ(seeds_of({}, 1, 20), 1u);
}

// Flows that get so much of what is fair; of the seeds 1, 2 and 3 the second far less. Where one comes
// late, it is a tenth for all in the first ten seconds.
std::vector<RunResult> results_of(const Experiment& experiment, double ours, double bad) {
  std::vector<RunResult> results;
  for (const RunSpec& spec : experiment.plan({.seeds = 3})) {
    RunResult& result = results.emplace_back();
    result.spec = spec;
    result.measured = spec.duration - spec.warm_up;
    const double bytes_a_slot = 16e6 / 8 / 10;
    result.link.up.delivered_bytes =
        static_cast<std::uint64_t>(10 * bytes_a_slot * to_seconds(result.measured));
    std::size_t all = 0;
    for (const FlowSpec& flow : spec.flows) all += flow.count;
    for (const FlowSpec& flow : spec.flows) {
      for (std::size_t i = 0; i < flow.count; ++i) {
        FlowResult& f = result.flows.emplace_back();
        f.group = flow.group;
        f.workload = flow.workload;
        f.start = Timestamp(flow.start);
        const double part = flow.group != "ours" ? 1 : spec.seed == 2 ? bad : ours;
        const double each = bytes_a_slot / static_cast<double>(all);
        f.slots.assign(
            static_cast<std::size_t>(spec.duration / kSlot),
            {.oldest_unacked_ms = 50, .delivered = static_cast<std::int64_t>(part * each)});
        if (spec.warm_up != 16s || flow.group != "ours") continue;
        for (std::size_t slot = 0; slot < 260; ++slot) {
          f.slots[slot].delivered = static_cast<std::int64_t>(each / 10);
        }
      }
    }
  }
  return results;
}

const Target* target_of(const Outcome& outcome, std::string_view what) {
  const auto found = std::ranges::find_if(
      outcome.targets, [&](const Target& t) { return t.what.starts_with(what); });
  return found == outcome.targets.end() ? nullptr : &*found;
}

TEST(Neighbours, JudgesTheMedianOfTheSeedsAndNamesTheWorst) {
  const Experiment& neighbours = *find_experiment("neighbours");
  const Outcome outcome = neighbours.evaluate({}, results_of(neighbours, .8, .1));
  const Target* share = target_of(outcome, "pace beside cubic, 16 Mbit/s: share");
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->got, .8, .01);
  EXPECT_TRUE(share->met());
  const std::vector<Cell>& row = outcome.tables[0].rows[0];
  EXPECT_NEAR(std::get<double>(row[3]), .1, .01);
  EXPECT_EQ(std::get<double>(row[4]), 2);
  // Where one comes late, the first window does not count; and each later one does.
  const std::string late = "cubic that comes, 16 Mbit/s";
  EXPECT_NEAR(target_of(outcome, "pace beside " + late)->got, .8, .01);
  std::vector<RunResult> results = results_of(neighbours, .8, .1);
  for (RunResult& run : results) {
    if (!run.spec.name.starts_with(late) || run.spec.seed == 2) continue;
    for (std::size_t slot = 460; slot < 560; ++slot) run.flows[0].slots[slot].delivered /= 2;
  }
  EXPECT_NEAR(target_of(neighbours.evaluate({}, results), "pace beside " + late)->got, .4, .01);
}

TEST(Crowd, CountsTheSeedsInWhichAllHolds) {
  const Experiment& crowd = *find_experiment("crowd");
  std::vector<RunResult> results = results_of(crowd, 1, 1);
  const Outcome good = crowd.evaluate({}, results);
  const Target* eight = target_of(good, "8 of pace: part of the seeds");
  ASSERT_TRUE(eight);
  EXPECT_EQ(eight->got, 1);
  // One flow of one seed that has nothing is unfair.
  for (FlowSlot& slot : results[1].flows[0].slots) slot.delivered = 0;
  const Outcome bad = crowd.evaluate({}, results);
  EXPECT_NEAR(target_of(bad, "8 of pace: part of the seeds")->got, 2.0 / 3, 1e-9);
}

}  // namespace
}  // namespace qvid::lab
