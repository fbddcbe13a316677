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
  for (int i = 0; i < 10; ++i)
    result.glass.quality.push_back({.at = kSeenFrom + spec.warm_up, .psnr = psnr});
  return result;
}

TEST(LayersPlan, EachStructureOnEachLinkOneAfterTheOther) {
  const auto plan = layers().plan({});
  EXPECT_EQ(plan.size(), 63u);
  EXPECT_EQ(runs_at_once(plan, 4), 1u);
  const auto chosen = [&](const char* product) {
    const auto runs = *chosen_plan(layers(), {.only = {"fall", product}});
    EXPECT_EQ(runs.size(), 1u);
    return runs.at(0).programs;
  };
  const auto told = [&](const char* structure) {
    std::string all;
    for (const std::string& word : chosen(structure).serve) all += word + " ";
    return all;
  };
  EXPECT_NE(told("h264-small").find("--codec h264 --layers small"), std::string::npos);
  EXPECT_NE(told("h264").find("--codec h264 --layers auto"), std::string::npos);
  EXPECT_NE(told("av1-both").find("--codec av1 --layers both"), std::string::npos);
  EXPECT_EQ(chosen("chromium-vp9").webrtc_codec, "VP9");
  EXPECT_EQ(chosen("chromium-vp9").between, BetweenDisplays::kWebRtcUdp);
}

TEST(LayersOutcome, WhatIsChosenIsJudgedByTheBestOfItsCodecAndOfTheRivals) {
  const ExperimentOptions options{.only = {"0.3,fall"}};
  const auto plan = *chosen_plan(layers(), options);
  ASSERT_EQ(plan.size(), 18u);
  std::vector<RunResult> results;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    // h264: chosen, whole, small, both, three; av1: chosen, both; Chromium's H.264, VP9
    constexpr double kPsnr[] = {33, 31, 35.5, 30, 29, 39, 38, 32, 33.25};
    results.push_back(looked_at(plan[i], kPsnr[i % 9]));
  }
  const Outcome outcome = layers().evaluate(options, results);
  EXPECT_NEAR(number(outcome.tables.at(0), 0, "h264-small"), 35.5, 1e-9);
  EXPECT_NEAR(target(outcome, "0.3 Mbit/s: h264 under the best of its structures, dB"), 2.5, 1e-9);
  EXPECT_NEAR(target(outcome, "0.3 Mbit/s: h264 under Chromium, dB"), 0.25, 1e-9);
  EXPECT_NEAR(target(outcome, "0.3 Mbit/s: av1 under the best of its structures, dB"), -1, 1e-9);
  EXPECT_NEAR(target(outcome, "0.3 Mbit/s: av1 under Chromium, dB"), -5.75, 1e-9);
  for (const char* codec : {"h264", "av1"}) {
    const std::string falls = "4, 0.6 and 4 Mbit/s, 10 s each: ";
    EXPECT_EQ(target(outcome, falls + codec + ", freezes over 200 ms"), 0);
  }
  EXPECT_EQ(outcome.targets.size(), 6u);
  EXPECT_EQ(outcome.plots.at(0).panels.at(0).series.at(5).points.size(), 1u);
}

TEST(LayersOutcome, WhatFailedIsLeftOut) {
  const ExperimentOptions options{.only = {"0.3"}};
  const auto plan = *chosen_plan(layers(), options);
  std::vector<RunResult> results;
  for (const RunSpec& run : plan) results.push_back(looked_at(run, 30));
  results[0].error = "it ended";
  results[5].error = "it ended";
  const Outcome outcome = layers().evaluate(options, results);
  EXPECT_TRUE(outcome.targets.empty());
  EXPECT_TRUE(std::holds_alternative<std::monostate>(outcome.tables.at(0).rows.at(0).at(1)));
}

}  // namespace
}  // namespace qvid::lab::layers_experiment_test
