// The driver with runs that are made up, its progress, and the choice of experiments.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "lab/experiments/driver.h"
#include "lab/experiments/experiment_choice.h"
#include "lab/experiments/progress.h"

namespace qvid::lab {
namespace {

RunSpec spec_of(const std::string& name, Duration duration = 10s) {
  RunSpec spec;
  spec.name = name;
  spec.link = "rate=8mbit";
  spec.duration = duration;
  return spec;
}

std::vector<RunSpec> specs(int count) {
  std::vector<RunSpec> all;
  for (int i = 0; i < count; ++i) all.push_back(spec_of("run " + std::to_string(i)));
  return all;
}

RunResult good(const RunSpec& spec) {
  RunResult result;
  result.spec = spec;
  return result;
}

void ignore(RunPhase, std::size_t, const RunResult*) {}

Experiment tiny() {
  return {.name = "tiny",
          .title = "Tiny",
          .source = "000 table 0",
          .plan =
              [](const ExperimentOptions& o) {
                return std::vector<RunSpec>(3, spec_of("tiny run", o.full ? 100s : 10s));
              },
          .evaluate =
              [](const ExperimentOptions&, std::span<const RunResult> results) {
                Outcome outcome;
                outcome.conditions = std::to_string(results.size()) + " runs";
                return outcome;
              }};
}

Experiment grid() {
  Experiment experiment = tiny();
  experiment.name = "grid";
  experiment.plan = [](const ExperimentOptions&) {
    std::vector<RunSpec> plan;
    for (const char* name : {"S1 ours", "S1 ours-room", "S2 ours", "16 flows, theirs"}) {
      plan.push_back(spec_of(name));
    }
    return plan;
  };
  return experiment;
}
std::vector<std::string> names_of(const Result<std::vector<RunSpec>>& plan) {
  std::vector<std::string> names;
  for (const RunSpec& spec : *plan) names.push_back(spec.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(ChosenPlan, HasRunsWithAWordOfEachChoice) {
  EXPECT_EQ(chosen_plan(grid(), {})->size(), 4u);
  EXPECT_EQ(names_of(chosen_plan(grid(), {.only = {"ours"}})), (Names{"S1 ours", "S2 ours"}));
  EXPECT_EQ(names_of(chosen_plan(grid(), {.only = {"S1,theirs"}})),
            (Names{"S1 ours", "S1 ours-room", "16 flows, theirs"}));
  EXPECT_EQ(names_of(chosen_plan(grid(), {.only = {"S1, S2", "ours-room"}})),
            (Names{"S1 ours-room"}));
}

TEST(ChosenPlan, SaysWhichWordsThereAreWhereNothingIsLeft) {
  for (const char* only : {"S3", "", ", ,", "our"}) {
    const auto plan = chosen_plan(grid(), {.only = {only}});
    ASSERT_FALSE(plan) << only;
    EXPECT_NE(plan.error().message.find("S1, S2, flows, ours"), std::string::npos)
        << plan.error().message;
  }
}

TEST(Driver, ResultsAreInTheOrderOfThePlan) {
  // The first does not end before the last has begun.
  std::latch last_began(1);
  const auto run = [&](const RunSpec& spec, const std::stop_token&) {
    if (spec.name == "run 3") last_began.count_down();
    if (spec.name == "run 0") last_began.wait();
    return good(spec);
  };
  const auto plan = specs(4);
  const auto results = make_runs(plan, 2, run, ignore, {});
  ASSERT_EQ(results.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(results[i].spec.name, plan[i].name);
}

TEST(Driver, RunsOfProgramsAreAlone) {
  auto plan = specs(3);
  EXPECT_EQ(runs_at_once(plan, 2), 2u);
  EXPECT_EQ(runs_at_once(plan, 0), 1u);
  plan[1].programs.players = {{.group = "viewer"}};
  EXPECT_EQ(runs_at_once(plan, 2), 1u);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const auto run = [&](const RunSpec& spec, const std::stop_token&) {
    most = std::max(most.load(), ++running);
    --running;
    return good(spec);
  };
  EXPECT_EQ(make_runs(plan, 3, run, ignore, {}).size(), 3u);
  EXPECT_EQ(most, 1);
}

TEST(Driver, NoMoreRunsAtOnceThanJobs) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::latch three(3);
  const auto run = [&](const RunSpec& spec, const std::stop_token&) {
    const int now = ++running;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    if (spec.name < "run 3") three.arrive_and_wait();  // the first three are at once
    --running;
    return good(spec);
  };
  const auto plan = specs(9);
  EXPECT_EQ(make_runs(plan, 3, run, ignore, {}).size(), 9u);
  EXPECT_EQ(most, 3);
  EXPECT_TRUE(make_runs({}, 3, run, ignore, {}).empty());
}

TEST(Driver, StopComesToTheRunsAndNoneBeginsAfterIt) {
  std::stop_source source;
  const auto run = [&](const RunSpec& spec, const std::stop_token& stop) {
    source.request_stop();
    RunResult result = good(spec);
    if (stop.stop_requested()) result.error = "stopped";
    return result;
  };
  const auto plan = specs(3);
  const auto results = make_runs(plan, 1, run, ignore, source.get_token());
  EXPECT_EQ(results[0].error, "stopped");
  EXPECT_EQ(results[1].error, "it did not begin: all was stopped");
  EXPECT_EQ(results[2].spec.name, "run 2");
}

TEST(Driver, AnExceptionIsThatRunsError) {
  const auto run = [](const RunSpec& spec, const std::stop_token&) {
    if (spec.name == "run 1") throw std::runtime_error("no link");
    return good(spec);
  };
  const auto plan = specs(3);
  std::size_t begun = 0;
  std::size_t failed = 0;
  const auto listen = [&](RunPhase phase, std::size_t index, const RunResult* result) {
    if (phase == RunPhase::kBegins) ++begun;
    if (phase == RunPhase::kEnds && !result->error.empty()) failed += index;
  };
  const auto results = make_runs(plan, 2, run, listen, {});
  EXPECT_EQ(results[1].error, "no link");
  EXPECT_EQ(results[1].spec.name, "run 1");
  EXPECT_TRUE(results[0].error.empty() && results[2].error.empty());
  EXPECT_EQ(begun, 3u);
  EXPECT_EQ(failed, 1u);
}

TEST(Driver, ARunWhoseLinkWasLateIsNotOne) {
  std::vector<RunSpec> plan(2);
  plan[0].name = "in time";
  plan[1].name = "late";
  const auto run = [](const RunSpec& spec, const std::stop_token&) {
    RunResult result;
    result.spec = spec;
    result.link.up.lateness.add(9ms);
    if (spec.name == "late") result.link.down.lateness.add(30ms);
    return result;
  };
  const auto results = make_runs(plan, 1, run, [](auto...) {}, {});
  EXPECT_TRUE(results[0].error.empty());
  EXPECT_NE(results[1].error.find("at most 10 may be"), std::string::npos) << results[1].error;
}

TEST(Driver, OutcomeNamesOriginLatenessAndFailures) {
  std::vector<RunResult> results(3);
  results[0].link.up.lateness.add(2ms);
  results[0].link.down.lateness.add(4ms);
  results[1].spec.name = "bad";
  results[1].error = "no link";
  results[1].link.up.lateness.add(1s);
  results[2].spec.name = "good";
  results[2].flows.resize(2);
  results[2].flows[1].sender = "sock";
  results[2].flows[1].error = "reset";
  results[2].players.resize(2);
  results[2].players[1].error = "a player failed: no server";
  const Origin origin{.command = "./run lab tiny", .commit = "abc", .took = 90s};
  const Outcome o = outcome_of_runs(tiny(), {}, results, origin);
  EXPECT_EQ(o.name, "tiny");
  EXPECT_EQ(o.title, "Tiny");
  EXPECT_EQ(o.conditions, "3 runs");
  EXPECT_EQ(o.command, "./run lab tiny");
  EXPECT_EQ(o.commit, "abc");
  EXPECT_EQ(o.seconds, 90);
  EXPECT_EQ(o.late_ms, 4);
  const std::vector<std::string> failed{"bad: no link", "good: a flow of sock ended early: reset",
                                        "good: a player failed: no server"};
  EXPECT_EQ(o.failed, failed);
}

TEST(Driver, TimeIsThatOfTheBusiestJob) {
  EXPECT_EQ(time_for({}, {}, 2), 0s);
  const std::vector<Duration> waiting{10s, 20s, 5s};
  EXPECT_EQ(time_for(waiting, {}, 1), 35s);
  EXPECT_EQ(time_for(waiting, {}, 2), 20s);
  const std::vector<Duration> begun{8s, -1s};  // the second is late
  EXPECT_EQ(time_for(waiting, begun, 2), 28s);
}

TEST(Progress, CountsRunsAndEstimatesTheRest) {
  const Timestamp start(100s);
  Progress p({spec_of("a", 9s), spec_of("b", 9s), spec_of("c", 9s)}, 1);
  EXPECT_EQ(p.time_left(start), 30s);  // a second for each, to set up
  p.begin(0, start);
  EXPECT_EQ(p.line_of_begin(start), "[1/3] a: 9 s, 30 s left");
  EXPECT_EQ(p.time_left(start + 4s), 26s);
  p.end(0, start + 12s);  // three more than it was to take
  EXPECT_EQ(p.time_left(start + 12s), 24s);
  p.begin(1, start + 12s);
  EXPECT_EQ(p.status_line(start + 13s), "[2/3] b | 23 s left");
  p.begin(2, start + 13s);
  EXPECT_EQ(p.status_line(start + 13s), "[3/3] b | c | 12 s left");
  EXPECT_EQ(p.time_left(start + 100s), 0s);
}

TEST(Progress, TimesAreShort) {
  EXPECT_EQ(time_text(-1s), "0 s");
  EXPECT_EQ(time_text(99s), "99 s");
  EXPECT_EQ(time_text(100s), "2 min");
  EXPECT_EQ(time_text(1h), "60 min");
}

TEST(Choice, IsByNameEachOnce) {
  std::vector<Experiment> all(2, tiny());
  all[1].name = "starvation";
  const auto chosen = choose(all, {"starvation", "all"});
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 2u);
  EXPECT_EQ((*chosen)[0]->name, "starvation");
  const auto unknown = choose(all, {"starvatoin"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "there is no experiment 'starvatoin'; did you mean starvation? There are all, tiny, "
            "starvation");
  EXPECT_EQ(choose(all, {"x"}).error().message,
            "there is no experiment 'x'. There are all, tiny, starvation");
}

TEST(Choice, ListHasThePlannedTime) {
  const std::vector<Experiment> all{tiny()};
  EXPECT_EQ(list_of(all, {}, 2),
            "tiny                    20 s  Tiny\n                              000 table 0\n");
  EXPECT_EQ(planned_time(all[0], {.full = true}, 3), 100s);
  EXPECT_EQ(json_list_of(all, {}, 1)[0]["seconds"], 30.0);
}

}  // namespace
}  // namespace qvid::lab
