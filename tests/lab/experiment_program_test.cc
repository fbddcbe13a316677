// `qvid-lab experiment` and `flows` as processes: a short experiment end to end on the emulated
// link, and nothing left behind by one that is interrupted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/emulator/emulator.h"
#include "tests/e2e/process.h"

namespace qvid::lab {
namespace {

using e2e::Process;
namespace fs = std::filesystem;

// Namespaces of this process's children; the names carry the process that made them.
int namespaces_of(Process& lab) {
  int count = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/run/netns", error)) {
    const std::string name = entry.path().filename();
    if (name.find("qvid-lab-" + std::to_string(lab.pid()) + "-") == 0) ++count;
  }
  return count;
}

struct ExperimentProgram : testing::Test {
  void SetUp() override {
    if (const std::string missing = missing_for_emulator(); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
    folder = testing::TempDir() + "experiment_" + std::to_string(getpid());
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  std::string folder;
};

TEST_F(ExperimentProgram, MeasuresAndWritesItsOutcome) {
  Process lab({QVID_LAB_PROGRAM, "experiment", "latency-tcp", "--stretch", "0.06", "--no-plots",
               "--out", folder});
  ASSERT_EQ(lab.wait(), 0) << lab.log();
  const auto json = nlohmann::json::parse(std::ifstream(folder + "/latency-tcp.json"));
  EXPECT_TRUE(json.at("failed").empty());
  const auto& table = json.at("tables").at(0);
  ASSERT_EQ(table.at("rows").size(), 3u);
  for (const auto& row : table.at("rows")) {
    // Flows; three figures of the paper; median, 99.9% and worst of two senders.
    ASSERT_EQ(row.size(), 10u);
    for (const auto& cell : row) EXPECT_TRUE(cell.is_number()) << row.dump();
    EXPECT_GT(row.at(4).get<double>(), 29) << "less than the link's round trip";
  }
  std::ifstream page(folder + "/latency-tcp.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_NE(text.find("latency-tcp"), std::string::npos);
}

TEST_F(ExperimentProgram, AnInterruptLeavesNothingBehind) {
  Process lab(
      {QVID_LAB_PROGRAM, "flows", "--flows", "pace+fo:2,cubic/greedy", "--duration", "60s"});
  for (int i = 0; i < 4000 && namespaces_of(lab) < 2; ++i) {
    lab.wait_for_log("never said", e2e::Milliseconds(5));
  }
  EXPECT_EQ(namespaces_of(lab), 2);
  lab.signal(SIGINT);
  EXPECT_EQ(lab.wait(), 130) << lab.log();
  EXPECT_EQ(namespaces_of(lab), 0);
}

TEST(ExperimentOptions, WrongOnesAreExplained) {
  Process name({QVID_LAB_PROGRAM, "experiment", "latencey-8"});
  EXPECT_EQ(name.wait(), 2);
  EXPECT_NE(name.log().find("latency-8"), std::string::npos) << name.log();
  Process flows({QVID_LAB_PROGRAM, "flows", "--flows", "sctp"});
  EXPECT_EQ(flows.wait(), 2);
  EXPECT_NE(flows.log().find("choose pace"), std::string::npos) << flows.log();
  Process time({QVID_LAB_PROGRAM, "flows", "--duration", "3s", "--warm-up", "5s"});
  EXPECT_EQ(time.wait(), 2);
  EXPECT_NE(time.log().find("--warm-up"), std::string::npos) << time.log();
}

}  // namespace
}  // namespace qvid::lab
