// The product's programs on a link of the lab: a short run, one that cannot begin, and nothing left
// behind by either.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lab/bed/bed.h"
#include "lab/bed/program_run.h"
#include "lab/emulator/emulator.h"

namespace qvid::lab {
namespace {

namespace fs = std::filesystem;

std::size_t folders() {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path())) {
    const std::string mine = "qvid-lab-programs-" + std::to_string(getpid());
    if (entry.path().filename().string().starts_with(mine)) ++count;
  }
  return count;
}

struct ProgramRuns : testing::Test {
  void SetUp() override {
    if (const std::string why = missing_for_emulator(); !why.empty()) GTEST_SKIP() << why;
    setenv("QVID_PROGRAM", QVID_PRODUCT, 1);
    spec.name = "a short run";
    spec.link = "rate=16mbit delay=15ms";
    spec.programs.serve = {"test", "--size", "160x120", "--bitrate", "300k"};
    spec.programs.players = {{.group = "viewer"}};
    spec.duration = 4s;
    spec.warm_up = 1s;
  }
  void TearDown() override { EXPECT_EQ(folders(), 0u); }
  RunSpec spec;
};

TEST_F(ProgramRuns, BringReportsAndFrames) {
  const RunResult result = run_on_bed(spec, {});
  ASSERT_TRUE(result.error.empty()) << result.error;
  ASSERT_EQ(result.players.size(), 1u);
  const PlayerResult& player = result.players[0];
  EXPECT_TRUE(player.error.empty()) << player.error;
  EXPECT_EQ(player.group, "viewer");
  EXPECT_GT(player.report.at("frames_shown"), 0);
  EXPECT_GT(result.server.report.at("encoder.frames"), 0);
  EXPECT_GT(result.server.cpu_seconds, 0);
  EXPECT_GE(result.carried.size(), 30u);
  std::size_t shown = 0;
  for (const PlayedFrame& frame : player.frames) {
    if (!frame.shown_ms) continue;
    ++shown;
    // The link alone, once the round trip is known.
    if (frame.captured_ms > 1000) {
      EXPECT_GE(frame.delay_ms, 15);
    }
    EXPECT_LT(*frame.shown_ms, 20e3);
  }
  EXPECT_EQ(static_cast<double>(shown), player.report.at("frames_shown"));
}

TEST_F(ProgramRuns, SayWhyAPlayerFailed) {
  spec.programs.players[0].arguments = {"--window", "a-hole"};
  const RunResult result = run_on_bed(spec, {});
  ASSERT_TRUE(result.error.empty()) << result.error;
  ASSERT_EQ(result.players.size(), 1u);
  EXPECT_NE(result.players[0].error.find("--window"), std::string::npos) << result.players[0].error;
}

TEST_F(ProgramRuns, SayWhyTheServerDidNotStart) {
  spec.programs.serve = {"test", "--size", "enormous"};
  const RunResult result = run_on_bed(spec, {});
  EXPECT_NE(result.error.find("enormous"), std::string::npos) << result.error;
}

TEST_F(ProgramRuns, AViewerThatIsKilledIsNoFailure) {
  spec.duration = 8s;  // so that one that is halted shows something on a busy machine, too
  spec.programs.players[0].kill = 1s;
  spec.programs.players.push_back({.group = "other", .halt = 1s, .go_on = 2s});
  const RunResult result = run_on_bed(spec, {});
  ASSERT_TRUE(result.error.empty()) << result.error;
  ASSERT_EQ(result.players.size(), 2u);
  EXPECT_TRUE(result.players[0].error.empty()) << result.players[0].error;
  EXPECT_TRUE(result.players[1].error.empty()) << result.players[1].error;
}

TEST_F(ProgramRuns, AnswerAStop) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(run_on_bed(spec, stop.get_token()).error.empty());
}

}  // namespace
}  // namespace qvid::lab
