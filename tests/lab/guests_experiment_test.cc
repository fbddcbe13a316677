// `guests` without displays: the links that it plans, what it makes of logs made by hand, and what it reads
// in a browser's log.
#include <gtest/gtest.h>

#include <string_view>

#include "lab/emulator/link_spec.h"
#include "lab/experiments/driver.h"
#include "lab/experiments/experiment_choice.h"
#include "lab/experiments/papers/guest_scenarios.h"
#include "lab/glass/guest_page.h"
#include "tests/lab/outcome_values.h"
#include "tests/lab/seen_run.h"

namespace qvid::lab::guests_experiment_test {
namespace {

const Experiment& guests() { return *find_experiment("guests"); }

RunSpec only(const char* link, const char* product) {
  const auto plan = *chosen_plan(guests(), {.only = {link, product}});
  EXPECT_EQ(plan.size(), 1u);
  return plan.at(0);
}

TEST(GuestsPlan, HasEveryLinkForEveryProductOneAfterTheOther) {
  const auto plan = guests().plan({.stretch = 0.1});
  EXPECT_EQ(plan.size(), kGuestScenarios.size() * kGuestProducts.size());
  EXPECT_EQ(runs_at_once(plan, 4), 1u);
  for (const RunSpec& run : plan)
    EXPECT_GE(run.warm_up, 15s) << run.name << ": the page has to come";
}

TEST(GuestsPlan, AGuestIsWhereTheBrokerIsNot) {
  const RunSpec to = only("clean", "to-guest");
  EXPECT_EQ(to.programs.between, BetweenDisplays::kGuest);
  EXPECT_EQ(to.programs.member[0], "publish");
  EXPECT_FALSE(to.programs.from_far);
  EXPECT_TRUE(to.programs.players.empty());
  const RunSpec from = only("clean", "from-guest-voice");
  EXPECT_EQ(from.programs.member[0], "watch");
  EXPECT_TRUE(from.programs.from_far);
  EXPECT_TRUE(from.programs.guest_speaks);
  EXPECT_EQ(only("clean", "to-guest-voice").programs.sound, TestSound::kTalk);
  EXPECT_EQ(only("clean", "qvid-room").programs.players.size(), 1u);
}

TEST(GuestsPlan, NothingPassesEitherWayInTheCut) {
  const LinkSpec link = *parse_link(only("cut", "from-guest").link);
  for (const auto& way : {link.up, link.down}) {
    EXPECT_GT(way.schedule.at(29s).rate, DataRate());
    EXPECT_EQ(way.schedule.at(31s).rate, DataRate());
    EXPECT_GT(way.schedule.at(41s).rate, DataRate());
  }
  EXPECT_TRUE(parse_link(only("cut", "chromium-turn").link)->up.udp.drop);
}

TEST(GuestsOutcome, AFreezeIsLongerHereThanOfTwoProgramsAndJudgedBothWays) {
  const ExperimentOptions options{.only = {"fall"}};
  std::vector<RunResult> results;
  const auto plan = *chosen_plan(guests(), options);
  for (const RunSpec& run : plan) results.push_back(seen(run, 90ms));
  const auto without = [&](RunResult& result, Duration gap) {
    std::erase_if(result.glass.sightings, [&](const Sighting& sighting) {
      return sighting.at >= kSeenFrom + 31s && sighting.at < kSeenFrom + 31s + gap;
    });
  };
  without(results[0], 300ms);
  without(results[2], 500ms);
  const Outcome outcome = guests().evaluate(options, results);
  ASSERT_EQ(outcome.tables.size(), 1u);
  EXPECT_EQ(outcome.tables[0].rows.size(), kGuestProducts.size());
  EXPECT_NEAR(number(outcome.tables[0], 2, "longest, ms"), 500, 40);
  EXPECT_EQ(target(outcome, "fall, to-guest: freezes over 400 ms"), 0);
  EXPECT_EQ(target(outcome, "fall, from-guest: freezes over 400 ms"), 1);
  EXPECT_EQ(outcome.targets.size(), 2u);
}

TEST(GuestsOutcome, JudgesTheDelayOnTheCleanLinkAndLeavesOutWhatFailed) {
  const ExperimentOptions options{.only = {"clean", "to-guest,from-guest"}};
  const auto plan = *chosen_plan(guests(), options);
  ASSERT_EQ(plan.size(), 2u);
  std::vector<RunResult> results{seen(plan[0], 90ms), seen(plan[1], 90ms)};
  results[1].error = "the guest's page failed";
  const Outcome outcome = guests().evaluate(options, results);
  EXPECT_NEAR(target(outcome, "clean, to-guest: delay, 99%, ms"), 90, 1e-6);
  EXPECT_EQ(outcome.targets.size(), 3u);
  EXPECT_EQ(outcome.plots.at(0).panels.at(0).series.size(), 1u);
}

TEST(GuestPage, SaysInTheLogWhyItFailed) {
  EXPECT_EQ(guest_trouble(""), "");
  EXPECT_EQ(
      guest_trouble("[1:1:INFO:CONSOLE:3] \"qvid: the camera\", source: https://a/b.js (3)\n"), "");
  EXPECT_EQ(
      guest_trouble("x\n[1:1:INFO:CONSOLE:3] \"guest-trouble: it \"ended\"\", source: y (3)\nz"),
      "it \"ended\"");
  EXPECT_EQ(guest_trouble("\"guest-trouble: cut o"), "cut o");
}

}  // namespace
}  // namespace qvid::lab::guests_experiment_test
