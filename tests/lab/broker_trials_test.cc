// A broker that is killed and comes back, and one that somebody wants to fail: as programs, short, and
// what is made of the figures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/emulator/emulator.h"
#include "lab/experiments/experiment.h"
#include "tests/e2e/process.h"
#include "tests/lab/outcome_values.h"

namespace qvid::lab {
namespace {

using e2e::Process;

TEST(Herd, IsBackAfterTheBrokerWasKilled) {
  Process lab({QVID_LAB_PROGRAM, "--json", "load", "--herd", "20", "--of-room", "10"},
              {"QVID_PROGRAM=" QVID_PRODUCT});
  ASSERT_EQ(lab.wait(), 0) << lab.log();
  const auto report = nlohmann::json::parse(lab.out());
  EXPECT_EQ(report.at("joined"), 20);
  EXPECT_EQ(report.at("back"), 20);
  EXPECT_EQ(report.at("refused"), 0);
  EXPECT_GE(report.at("attempts"), 20);
  EXPECT_GT(report.at("back_seconds").at("last"), 0);
  EXPECT_GT(report.at("own_cpu"), 0);
}

TEST(Herd, HasABrokerOfItsOwn) {
  Process lab({QVID_LAB_PROGRAM, "load", "qvid://127.0.0.1:1/den", "--herd", "20"});
  EXPECT_EQ(lab.wait(), 2) << lab.log();
  Process none({QVID_LAB_PROGRAM, "load"});
  EXPECT_EQ(none.wait(), 2) << none.log();
  EXPECT_NE(none.log().find("say which broker"), std::string::npos) << none.log();
}

// Some of them, each for two seconds: what they do is done, and the room goes on.
TEST(Adversaries, DoWhatTheySay) {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) GTEST_SKIP() << missing;
  const std::string folder = testing::TempDir() + "adversaries_" + std::to_string(getpid());
  Process lab({QVID_LAB_PROGRAM, "experiment", "adversaries", "--stretch", "0.15", "--only",
               "nobody,handshakes,requests", "--no-plots", "--out", folder},
              {"QVID_PROGRAM=" QVID_PRODUCT});
  ASSERT_EQ(lab.wait(3 * e2e::kPatience), 0) << lab.log();
  const auto json = nlohmann::json::parse(std::ifstream(folder + "/adversaries.json"));
  EXPECT_TRUE(json.at("failed").empty()) << json.at("failed").dump();
  const auto& rows = json.at("tables").at(0).at("rows");
  ASSERT_EQ(rows.size(), 8u);
  std::size_t measured = 0;
  for (const auto& row : rows) {
    const std::string name = row.at(0);
    if (row.at(1).is_null()) continue;
    ++measured;
    EXPECT_GT(row.at(1), 0) << name;  // the viewers saw something
    EXPECT_EQ(row.at(9) > 0, name != "nobody") << row.dump();
  }
  EXPECT_EQ(measured, 4u);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

// Each says by itself that it happened, or its run has failed.
TEST(MachineFaults, Happen) {
  if (const std::string missing = missing_for_emulator(); !missing.empty()) GTEST_SKIP() << missing;
  const std::string folder = testing::TempDir() + "faults_" + std::to_string(getpid());
  Process lab({QVID_LAB_PROGRAM, "experiment", "faults", "--stretch", "0.3", "--only",
               "file,certificate,disk", "--no-plots", "--out", folder},
              {"QVID_PROGRAM=" QVID_PRODUCT});
  ASSERT_EQ(lab.wait(3 * e2e::kPatience), 0) << lab.log();
  const auto json = nlohmann::json::parse(std::ifstream(folder + "/faults.json"));
  EXPECT_TRUE(json.at("failed").empty()) << json.at("failed").dump();
  const auto& rows = json.at("tables").at(0).at("rows");
  std::size_t measured = 0;
  for (const auto& row : rows) {
    if (row.at(1).is_null()) continue;
    ++measured;
    EXPECT_GT(row.at(1), 0) << row.dump();  // the viewers saw something
    EXPECT_EQ(row.at(5), 0) << row.dump();  // and stayed
    EXPECT_GT(row.at(7), 0) << row.dump();
  }
  EXPECT_EQ(measured, 3u);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

TEST(FaultsOutcome, JudgesWhatARoomSees) {
  const Experiment& experiment = *find_experiment("faults");
  std::vector<RunResult> results;
  for (const RunSpec& spec : experiment.plan({})) {
    RunResult& result = results.emplace_back();
    result.spec = spec;
    result.trial = {.longest_gap_ms = 60};
    if (spec.trial->trouble == BrokerTrouble::kHalt) result.trial.longest_gap_ms = 5100;
    if (spec.trial->trouble == BrokerTrouble::kNoMemory) result.trial.sessions_lost = 51;
  }
  const Outcome outcome = experiment.evaluate({}, results);
  std::vector<std::string> missed;
  for (const Target& t : outcome.targets) {
    if (!t.met()) missed.push_back(t.what);
  }
  // Who is never noticed counts as noticed at the end.
  EXPECT_EQ(missed,
            (std::vector<std::string>{"200 clients are gone without a word: noticed after, s",
                                      "64 MiB of memory left, 200 come and halt: sessions lost"}));
}

TEST(AdversariesOutcome, JudgesGapsSessionsAndWhatItCosts) {
  const Experiment& experiment = *find_experiment("adversaries");
  std::vector<RunResult> results;
  for (const RunSpec& spec : experiment.plan({})) {
    RunResult& result = results.emplace_back();
    result.spec = spec;
    result.trial = {.longest_gap_ms = 60, .broker_cpu = 0.2};
    if (spec.trial->trouble == BrokerTrouble::kHandshakes) {
      result.trial = {.longest_gap_ms = 300, .sessions_lost = 2, .broker_cpu = 0.9};
    }
  }
  const Outcome outcome = experiment.evaluate({}, results);
  const std::string name = "200 TLS handshakes a second: ";
  EXPECT_EQ(target(outcome, name + "viewers' longest gap, ms"), 300);
  EXPECT_EQ(target(outcome, name + "sessions lost"), 2);
  EXPECT_DOUBLE_EQ(target(outcome, name + "CPU for it, of a core"), 0.9 - 0.2);
  std::size_t missed = 0;
  for (const Target& t : outcome.targets) missed += t.met() ? 0 : 1;
  EXPECT_EQ(missed, 3u);
  // Without the quiet run nothing is known of the cost.
  results[0].error = "failed";
  const Outcome without = experiment.evaluate({}, results);
  for (const Target& t : without.targets) EXPECT_EQ(t.what.find("CPU"), std::string::npos);
}

TEST(ClusterOutcome, JudgesGapsAndTheHop) {
  const Experiment& experiment = *find_experiment("cluster");
  std::vector<RunResult> results;
  for (const RunSpec& spec : experiment.plan({})) {
    RunResult& result = results.emplace_back();
    result.spec = spec;
    switch (spec.cluster->fault) {
      case ClusterFault::kNone:
        result.cluster = {{"delay_ms.a.p50", 1.0}, {"delay_ms.b.p50", 17.5}, {"path_ms", 10}};
        break;
      case ClusterFault::kViewers:
        result.cluster = {
            {"published", 1000}, {"link.b.a", 1000}, {"link.c.a", 2000}, {"link.others", 0}};
        break;
      case ClusterFault::kCut:
        result.cluster = {{"gap_ms.at-a", 40},
                          {"gap_ms.at-b", 300},
                          {"gap_ms.at-c", 8000},
                          {"cut_ms", 5000},
                          {"recovery_s", 5}};
        break;
      case ClusterFault::kNatsInPart:
        result.cluster = {{"gap_ms.at-a", 40}, {"recovery_s", 1}};
        break;
      case ClusterFault::kWithoutNats:
        result.cluster = {{"gap_ms.at-a", 40}, {"refused", 1}, {"recovery_s", 2}};
        break;
      case ClusterFault::kRolling:
        result.cluster = {{"gap_ms.party.median", 120}, {"gap_ms.party.worst", 260}};
        break;
      default: result.cluster = {{"gap_ms.at-a", 800}, {"gap_ms.at-b", 200}, {"gap_ms.at-c", 40}};
    }
  }
  const Outcome outcome = experiment.evaluate({}, results);
  EXPECT_DOUBLE_EQ(target(outcome, "a hop's delay beside its path's, median, ms"), 6.5);
  EXPECT_DOUBLE_EQ(target(outcome, "cut off: until c sees them again, ms"), 3000);
  EXPECT_EQ(target(outcome, "drained: gap of who was there, ms"), 800);
  std::vector<std::string> missed;
  for (const Target& t : outcome.targets) {
    if (!t.met()) missed.push_back(t.what);
  }
  EXPECT_EQ(missed,
            (std::vector<std::string>{"drained: gap of who was there, ms",
                                      "cut off: gap of a's pictures at b, ms",
                                      "all restarted: longest gap at any of nine parties, ms",
                                      "300 viewers: over the link from a to c, away from once what "
                                      "is published, of it",
                                      "a hop's delay beside its path's, median, ms"}));
}

TEST(HerdOutcome, WantsAllBackInTenSeconds) {
  const Experiment& experiment = *find_experiment("herd");
  std::vector<RunResult> results;
  for (const RunSpec& spec : experiment.plan({})) {
    RunResult& result = results.emplace_back();
    result.spec = spec;
    result.trial = {.back = static_cast<double>(spec.trial->herd), .last_back_s = 4};
  }
  results.back().trial.back = 999;
  results.back().trial.last_back_s = 12;
  const Outcome outcome = experiment.evaluate({}, results);
  ASSERT_EQ(outcome.targets.size(), 8u);
  for (const Target& t : outcome.targets) {
    EXPECT_EQ(t.met(), !t.what.starts_with("1000 clients, rooms of 250")) << t.what;
  }
}

}  // namespace
}  // namespace qvid::lab
