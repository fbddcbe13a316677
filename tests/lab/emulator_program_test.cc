// `qvid-lab run` as a process: what it gives back, and that it leaves nothing behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/emulator/emulator.h"
#include "tests/e2e/process.h"

namespace qvid::lab {
namespace {

using e2e::Process;

// An argument that no other process has: `sleep` takes a sum of its arguments.
std::string mark(int n) { return "98765." + std::to_string(getpid()) + std::to_string(n); }

int count_processes_with(const std::string& argument) {
  int count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    std::ifstream file(it->path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (line.starts_with("sleep") && line.find(argument) != std::string::npos) ++count;
  }
  return count;
}

class EmulatorProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for_emulator(); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }
  static std::vector<std::string> run(std::vector<std::string> options,
                                      std::vector<std::string> command) {
    std::vector<std::string> all{QVID_LAB_PROGRAM, "run"};
    all.insert(all.end(), options.begin(), options.end());
    all.emplace_back("--");
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }
  // The path of the near namespace, from the log.
  static std::string near_path(Process& lab) {
    const auto line = lab.wait_for_log("qvid-lab-");
    if (!line) return {};
    const auto begin = line->find("qvid-lab-");
    return "/run/netns/" + line->substr(begin, line->find(',', begin) - begin);
  }
};

TEST_F(EmulatorProgram, GivesTheCommandsOutputCodeAndReport) {
  const std::string report = testing::TempDir() + "emulator_report_" + std::to_string(getpid());
  Process lab(run({"--link", "rate=10mbit delay=1ms", "--report", report},
                  {"sh", "-c", "echo $LAB_NEAR $LAB_FAR; exit 7"}));
  EXPECT_EQ(lab.wait(), 7);
  EXPECT_EQ(lab.out(), "10.77.0.1 10.77.0.2\n");
  EXPECT_NE(lab.log().find("link: "), std::string::npos) << lab.log();
  const auto json = nlohmann::json::parse(std::ifstream(report));
  EXPECT_TRUE(json.at("up").at("lateness_ms").contains("p99"));
  std::filesystem::remove(report);
}

TEST_F(EmulatorProgram, ThePeersOutputDoesNotMixIn) {
  Process lab(run({"--link", "dsl", "-q", "--peer", "echo from the peer; sleep " + mark(0)},
                  {"echo", "--link", "links"}));
  EXPECT_EQ(lab.wait(), 0);
  EXPECT_EQ(lab.out(), "--link links\n");
  EXPECT_EQ(count_processes_with(mark(0)), 0);
}

TEST_F(EmulatorProgram, SaysWhyItCannotStart) {
  Process nonsense(run({"--link", "rate=fast"}, {"true"}));
  EXPECT_EQ(nonsense.wait(), 2);
  EXPECT_NE(nonsense.log().find("'rate=fast'"), std::string::npos) << nonsense.log();
  Process missing(run({"--link", "dsl"}, {"/nonexistent"}));
  EXPECT_EQ(missing.wait(), 127);
  EXPECT_NE(missing.log().find("/nonexistent"), std::string::npos) << missing.log();
  Process peer(run({"--link", "dsl", "--peer", "exit 3", "--wait-port", "80"}, {"true"}));
  EXPECT_EQ(peer.wait(), 125);
  EXPECT_NE(peer.log().find("the peer ended with code 3"), std::string::npos) << peer.log();
}

TEST_F(EmulatorProgram, CommandsChangeTheLink) {
  const std::string commands = testing::TempDir() + "emulator_commands_" + std::to_string(getpid());
  std::ofstream(commands) << "nonsense\nup:outage 5s\n";
  Process lab(run({"--link", "rate=10mbit", "--commands", commands},
                  {"sh", "-c", "read line </dev/null; echo >&2 started; exec sleep 0.3"}));
  EXPECT_TRUE(lab.wait_for_log("in 'nonsense'"));
  EXPECT_EQ(lab.wait(), 0);
  std::filesystem::remove(commands);
}

class EmulatorCleanup : public EmulatorProgram, public testing::WithParamInterface<int> {};

// With processes that left their parents, and a signal to the lab.
TEST_P(EmulatorCleanup, ASignalLeavesNothingBehind) {
  const std::string sleeps =
      "setsid sleep " + mark(1) + " & sleep " + mark(1) + " & echo >&2 running; wait";
  Process lab(run({"--link", "dsl", "--peer", sleeps}, {"sh", "-c", sleeps}));
  const std::string near = near_path(lab);
  ASSERT_TRUE(lab.wait_for_log("running"));
  ASSERT_TRUE(lab.wait_for_log("running"));
  EXPECT_TRUE(std::filesystem::exists(near)) << near;
  lab.signal(GetParam());
  EXPECT_EQ(lab.wait(), 128 + GetParam());
  EXPECT_FALSE(std::filesystem::exists(near));
  EXPECT_EQ(count_processes_with(mark(1)), 0);
}
INSTANTIATE_TEST_SUITE_P(Signals, EmulatorCleanup, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(EmulatorProgram, AKilledCommandLeavesNothingBehind) {
  Process lab(run({"--link", "dsl", "--peer", "sleep " + mark(2)},
                  {"sh", "-c", "setsid sleep " + mark(2) + " & kill -KILL $$"}));
  const std::string near = near_path(lab);
  EXPECT_EQ(lab.wait(), 128 + SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(near));
  EXPECT_EQ(count_processes_with(mark(2)), 0);
}

TEST_F(EmulatorProgram, WhatAKilledLabLeavesTheNextRemoves) {
  std::string near;
  {
    Process lab(
        run({"--link", "dsl"},
            {"sh", "-c", "setsid sleep " + mark(3) + " >&- 2>&- & echo >&2 running; wait"}));
    near = near_path(lab);
    ASSERT_TRUE(lab.wait_for_log("running"));
    lab.signal(SIGKILL);
    EXPECT_EQ(lab.wait(), 128 + SIGKILL);
  }
  EXPECT_TRUE(std::filesystem::exists(near));
  Process next(run({"--link", "dsl"}, {"true"}));
  EXPECT_EQ(next.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(near));
  EXPECT_EQ(count_processes_with(mark(3)), 0);
}

}  // namespace
}  // namespace qvid::lab
