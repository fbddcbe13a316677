// `glass` without displays: the links that it plans, and what it makes of logs made by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include "lab/emulator/link_spec.h"
#include "lab/experiments/driver.h"
#include "lab/experiments/experiment_choice.h"
#include "lab/experiments/papers/glass_scenarios.h"
#include "tests/lab/outcome_values.h"
#include "tests/lab/seen_run.h"

namespace qvid::lab::glass_experiment_test {
namespace {

const Experiment& glass() { return *find_experiment("glass"); }

const RunSpec& spec_named(const std::vector<RunSpec>& plan, std::string_view name) {
  for (const RunSpec& spec : plan) {
    if (spec.name == name) return spec;
  }
  throw std::invalid_argument(std::string(name));
}
std::vector<std::string> texts(const Table& table) {
  std::vector<std::string> all;
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      if (const auto* text = std::get_if<std::string>(&cell)) all.push_back(*text);
    }
  }
  return all;
}

TEST(GlassPlan, HasEveryLinkForEveryProductOneAfterTheOther) {
  const auto plan = glass().plan({});
  EXPECT_EQ(plan.size(), kGlassScenarios.size() * kGlassProducts.size());
  EXPECT_EQ(runs_at_once(plan, 4), 1u);
}

TEST(GlassPlan, LinksChangeInTheMeasuredTime) {
  const auto plan = glass().plan({});
  const auto link_of = [&](const char* name) { return *parse_link(spec_named(plan, name).link); };
  const LinkSpec steps = link_of("S4 qvid");
  EXPECT_EQ(steps.up.schedule.at(34s).rate, DataRate::from_kbps(4000));
  EXPECT_EQ(steps.up.schedule.at(36s).rate, DataRate::from_kbps(600));
  EXPECT_EQ(steps.up.schedule.at(51s).rate, DataRate::from_kbps(4000));
  EXPECT_EQ(steps.down.schedule.at(36s).rate, DataRate::from_kbps(100'000));
  EXPECT_EQ(steps.up.queue_limit, 40'000_B);
  const LinkSpec lossy = link_of("S5 qvid");
  EXPECT_EQ(lossy.up.loss, 0.02);
  EXPECT_EQ(lossy.down.loss, 0);
  EXPECT_TRUE(link_of("S1 chromium-turn").up.udp.drop);
  EXPECT_FALSE(link_of("S1 chromium-udp").up.udp.drop);
}

TEST(GlassPlan, TheGreedyFlowHasBegunBefore) {
  const auto plan = glass().plan({});
  const RunSpec& run = spec_named(plan, "S3 chromium-udp");
  ASSERT_EQ(run.flows.size(), 1u);
  EXPECT_EQ(run.flows[0].start + 5s, run.warm_up);
  EXPECT_TRUE(spec_named(plan, "S1 qvid").flows.empty());
}

TEST(GlassOutcome, HasARowForEachProductAndWhatIsMissing) {
  const ExperimentOptions options{.only = {"S1"}};
  const auto plan = *chosen_plan(glass(), options);
  ASSERT_EQ(plan.size(), 5u);
  std::vector<RunResult> results{seen(plan[0], 70ms), seen(plan[1], 78ms)};
  results.resize(5);
  results[2].spec = plan[2];
  results[2].not_installed = "chromium";
  results[3].spec = plan[3];
  results[3].error = "it did not start";
  results[4] = seen(plan[4], 75ms);
  const Outcome outcome = glass().evaluate(options, results);
  ASSERT_EQ(outcome.tables.size(), 1u);
  const Table& table = outcome.tables[0];
  EXPECT_EQ(texts(table),
            (std::vector<std::string>{"qvid", "qvid-room", "chromium-udp",
                                      "not installed: chromium", "chromium-turn", "qvid-tcp"}));
  EXPECT_NEAR(number(table, 0, "delay, median, ms"), 70, 1e-6);
  EXPECT_NEAR(number(table, 0, "sent, Mbit/s"), 8.0 / 30, 1e-6);
  EXPECT_NEAR(target(outcome, "S1: delay, 99%, ms"), 70, 1e-6);
  EXPECT_NEAR(target(outcome, "S1: what a room adds to the median, ms"), 8, 1e-6);
  EXPECT_NEAR(target(outcome, "S1: deviation of the times between pictures, ms"), 0, 1e-3);
  EXPECT_EQ(outcome.targets.size(), 5u);
  ASSERT_EQ(outcome.plots.size(), 1u);
  EXPECT_EQ(outcome.plots[0].name, "glass-s1");
  EXPECT_EQ(outcome.plots[0].panels[0].series.size(), 3u);
  const auto whole = outcome_of_runs(glass(), options, results, {});
  EXPECT_EQ(whole.failed.size(), 1u) << "what is not installed did not fail";
}

TEST(GlassOutcome, ARivalsBytesAreNotOurs) {
  const ExperimentOptions options{.only = {"S3", "qvid"}};
  std::vector<RunResult> results{seen(chosen_plan(glass(), options)->at(0), 70ms)};
  FlowResult& flow = results[0].flows.emplace_back();
  flow.slots.assign(650, {.delivered = 1448});  // 65 s, of which 45 are measured
  const Outcome outcome = glass().evaluate(options, results);
  EXPECT_NEAR(number(outcome.tables[0], 0, "sent, Mbit/s"), 8e-6 * (1e6 - 450 * 1500) / 45, 1e-9);
  EXPECT_TRUE(outcome.targets.empty());
}

TEST(GlassOutcome, BackCountsFromTheLinksReturn) {
  const ExperimentOptions options{.only = {"S7", "qvid"}};
  std::vector<RunResult> results{seen(chosen_plan(glass(), options)->at(0), 70ms)};
  std::erase_if(results[0].glass.sightings, [](const Sighting& sighting) {
    return sighting.at >= kSeenFrom + 32s && sighting.at < kSeenFrom + 35'100ms;
  });
  const Outcome outcome = glass().evaluate(options, results);
  EXPECT_NEAR(target(outcome, "S7: back after the link's return, ms"), 117, 17);
  EXPECT_NEAR(number(outcome.tables[0], 0, "longest, ms"), 3117, 34);
}

TEST(GlassOutcome, AFreezeInTheSwitchingLinkMissesItsTarget) {
  const ExperimentOptions options{.only = {"S4", "qvid"}};
  std::vector<RunResult> results{seen(chosen_plan(glass(), options)->at(0), 70ms)};
  std::erase_if(results[0].glass.sightings, [](const Sighting& sighting) {
    return sighting.at >= kSeenFrom + 36s && sighting.at < kSeenFrom + 37s;
  });
  EXPECT_EQ(target(glass().evaluate(options, results), "S4: freezes over 200 ms"), 1);
}

}  // namespace
}  // namespace qvid::lab::glass_experiment_test
