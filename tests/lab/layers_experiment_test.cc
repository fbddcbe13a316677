// `layers` without displays: what its programs are told, and what it makes of logs made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lab/experiments/driver.h"
#include "lab/experiments/experiment_choice.h"
#include "tests/lab/outcome_values.h"
#include "tests/lab/seen_run.h"

namespace qvid::lab::layers_experiment_test {
namespace {

const Experiment& layers() { return *find_experiment("layers"); }

RunResult looked_at(const RunSpec& spec, double psnr) {
  RunResult result = seen(spec, 90ms);
  for (int i = 0; i < 10; ++i) result.glass.quality.push_back({kSeenFrom + spec.warm_up, psnr});
  return result;
}

TEST(LayersPlan, EachStructureOnEachLinkOneAfterTheOther) {
  const auto plan = layers().plan({});
  EXPECT_EQ(plan.size(), 30u);
  EXPECT_EQ(runs_at_once(plan, 4), 1u);
  const auto told = [&](const char* structure) {
    const auto chosen = *chosen_plan(layers(), {.only = {"fall", structure}});
    EXPECT_EQ(chosen.size(), 1u);
    std::string all;
    for (const std::string& word : chosen.at(0).programs.serve) all += word + " ";
    return all;
  };
  EXPECT_NE(told("small").find("--codec h264 --layers small"), std::string::npos);
  EXPECT_NE(told("auto").find("--codec h264 --layers auto"), std::string::npos);
  EXPECT_NE(told("av1").find("--codec av1"), std::string::npos);
  EXPECT_EQ(told("av1").find("--layers"), std::string::npos);
}

TEST(LayersOutcome, WhatIsChosenIsJudgedByTheBestOfItsCodec) {
  const ExperimentOptions options{.only = {"0.3,fall"}};
  const auto plan = *chosen_plan(layers(), options);
  ASSERT_EQ(plan.size(), 10u);
  std::vector<RunResult> results;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    constexpr double kPsnr[] = {33, 31, 35.5, 30, 39};  // auto, whole, small, both, av1
    results.push_back(looked_at(plan[i], kPsnr[i % 5]));
  }
  const Outcome outcome = layers().evaluate(options, results);
  EXPECT_NEAR(number(outcome.tables.at(0), 0, "small"), 35.5, 1e-9);
  EXPECT_NEAR(target(outcome, "0.3 Mbit/s: auto under the best of the others, dB"), 2.5, 1e-9);
  EXPECT_EQ(target(outcome, "4, 0.6 and 4 Mbit/s, 10 s each: auto, freezes over 200 ms"), 0);
  EXPECT_EQ(outcome.targets.size(), 2u);
  EXPECT_EQ(outcome.plots.at(0).panels.at(0).series.at(4).points.size(), 1u);
}

TEST(LayersOutcome, WhatFailedIsLeftOut) {
  const ExperimentOptions options{.only = {"0.3"}};
  const auto plan = *chosen_plan(layers(), options);
  std::vector<RunResult> results;
  for (const RunSpec& run : plan) results.push_back(looked_at(run, 30));
  results[0].error = "it ended";
  const Outcome outcome = layers().evaluate(options, results);
  EXPECT_TRUE(outcome.targets.empty());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(outcome.tables.at(0).rows.at(0).at(1)));
}

}  // namespace
}  // namespace qvid::lab::layers_experiment_test
