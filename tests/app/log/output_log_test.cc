// What is shown and heard, as lines: levels of blocks, pictures' luma, jumps, bounds, and trouble
// that is told once.
#include "app/log/output_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>
#include <thread>
#include <vector>

#include "app/log/logged_sound.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

// Loudspeakers of which it is said when they are heard.
class SaidOutput : public media::SoundOutput {
 public:
  explicit SaidOutput(Timestamp& heard) : heard_(heard) {}
  std::size_t wanted(Timestamp) override { return media::kSoundTurn; }
  Timestamp heard(Timestamp) override { return heard_; }
  void write(std::span<const float> stereo) override { written += stereo.size() / 2; }
  std::string description() const override { return "said"; }
  std::size_t written = 0;

 private:
  Timestamp& heard_;
};

class SaidInput : public media::SoundInput {
 public:
  bool read(Timestamp now, media::SoundBlock& block) override {
    if (silent) return false;
    block = {.captured = now, .channels = 1, .samples = std::vector<float>(480, 0.1F)};
    return true;
  }
  bool is_microphone() const override { return true; }
  int channels() const override { return 1; }
  std::string description() const override { return "said"; }
  bool silent = false;
};

std::vector<float> stereo_sine(std::size_t frames, double peak) {
  std::vector<float> samples;
  for (std::size_t i = 0; i < frames; ++i) {
    const double turn = 2 * std::numbers::pi * 1000 * static_cast<double>(i) / media::kSoundRate;
    samples.insert(samples.end(), 2, static_cast<float>(peak * std::sin(turn)));
  }
  return samples;
}

struct OutputLogTest : testing::Test {
  std::shared_ptr<OutputLog> open(OutputLog::Limits limits) {
    auto opened = OutputLog::open(
        path, [this](const std::string& t) { told.push_back(t); }, limits);
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  std::shared_ptr<OutputLog> open() { return open({}); }
  // Without the columns' names.
  std::vector<std::string> lines() const {
    std::ifstream in(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    EXPECT_FALSE(all.empty());
    EXPECT_EQ(all.at(0), "time_us,kind,who,value");
    all.erase(all.begin());
    return all;
  }
  std::vector<std::string> lines_of(const std::string& kind) const {
    std::vector<std::string> some;
    for (const std::string& line : lines()) {
      if (line.find("," + kind + ",") != std::string::npos) some.push_back(line);
    }
    return some;
  }

  TemporaryFolder folder;
  std::string path = (folder / "out.csv").string();
  std::vector<std::string> told;
};

TEST_F(OutputLogTest, APictureHasItsLuma) {
  auto log = open();
  media::NewFrame picture = media::allocate_frame({16, 8});
  for (int row = 0; row < 8; ++row) {
    for (int x = 0; x < 16; ++x) {
      picture.writable[0][row * picture.frame.planes[0].stride + x] = x < 8 ? 16 : 235;
    }
  }
  log->picture(Timestamp(1234567us), "Ann", picture.frame);
  log->flush();
  EXPECT_EQ(lines(), std::vector<std::string>{"1234567,picture,Ann,125.5"});
}

TEST_F(OutputLogTest, ANameIsNoSecondField) {
  auto log = open();
  log->add(Timestamp(1us), "picture", "A,\"n\nn", 1);
  log.reset();  // writes what waits
  EXPECT_EQ(lines(), std::vector<std::string>{"1,picture,A__n?n,1.0"});
}

TEST_F(OutputLogTest, SoundIsHeardAtItsTimeInBlocks) {
  auto log = open();
  Timestamp heard{10s};
  LoggedOutput output(std::make_unique<SaidOutput>(heard), log);
  output.heard({});
  output.write(stereo_sine(480, 1));
  heard += 10ms;
  output.heard({});
  output.write(std::vector<float>(960, 0.0F));
  log->flush();
  EXPECT_EQ(lines_of("sound"),
            (std::vector<std::string>{"10000000,sound,,-3.0", "10002500,sound,,-3.0",
                                      "10005000,sound,,-3.0", "10007500,sound,,-3.0"}));
  EXPECT_EQ(lines_of("alive"), std::vector<std::string>{"10000000,alive,,0"});
  EXPECT_TRUE(lines_of("jump").empty());
}

TEST_F(OutputLogTest, SeveralWritesAfterOneQuestionFollowEachOther) {
  auto log = open();
  Timestamp heard{1s};
  LoggedOutput output(std::make_unique<SaidOutput>(heard), log);
  output.heard({});
  output.write(std::vector<float>(2 * 100, 0.5F));  // a block is not bound to writes
  output.write(std::vector<float>(2 * 140, 0.5F));
  log->flush();
  EXPECT_EQ(lines_of("sound"),
            (std::vector<std::string>{"1000000,sound,,-6.0", "1002500,sound,,-6.0"}));
}

TEST_F(OutputLogTest, QuietIsNotWrittenButThatItRuns) {
  auto log = open();
  Timestamp heard{};
  LoggedOutput output(std::make_unique<SaidOutput>(heard), log);
  for (int turn = 0; turn < 250; ++turn, heard += 10ms) {
    output.heard({});
    output.write(stereo_sine(480, 0.004));  // -51 dBFS
  }
  log->flush();
  EXPECT_EQ(lines(), (std::vector<std::string>{"0,alive,,0", "1000000,alive,,48000",
                                               "2000000,alive,,96000"}));
}

TEST_F(OutputLogTest, AJumpIsTold) {
  auto log = open();
  Timestamp heard{1s};
  LoggedOutput output(std::make_unique<SaidOutput>(heard), log);
  for (const Duration step : {10ms, 13ms, 10ms, 60ms, 10ms}) {  // 3 ms: a clock that is set right
    output.heard({});
    output.write(std::vector<float>(960, 0.0F));
    heard += step;
  }
  output.heard({});
  output.write(std::vector<float>(960, 0.0F));
  log->flush();
  EXPECT_EQ(lines_of("jump"), std::vector<std::string>{"1093000,jump,,50.000"});
}

TEST_F(OutputLogTest, WhatIsSpokenIsLoggedAsItWasCaptured) {
  auto log = open();
  auto said = std::make_unique<SaidInput>();
  SaidInput& voice = *said;
  LoggedInput input(std::move(said), log);
  EXPECT_TRUE(input.is_microphone());
  media::SoundBlock block;
  EXPECT_TRUE(input.read(Timestamp(2s), block));
  EXPECT_EQ(block.frames(), 480u);
  voice.silent = true;
  EXPECT_FALSE(input.read(Timestamp(3s), block));
  log->flush();
  EXPECT_EQ(lines(), (std::vector<std::string>{"2000000,spoken,,-20.0", "2002500,spoken,,-20.0",
                                               "2005000,spoken,,-20.0", "2007500,spoken,,-20.0"}));
}

TEST_F(OutputLogTest, WithoutALogADeviceIsItself) {
  EXPECT_EQ(logged(std::unique_ptr<media::SoundOutput>(), nullptr), nullptr);
  EXPECT_EQ(logged(std::unique_ptr<media::SoundInput>(), open()), nullptr);
  const auto nowhere = logged(std::unique_ptr<media::SoundOutput>(), open());
  ASSERT_NE(nowhere, nullptr);
  nowhere->wanted(Timestamp(1s));
  EXPECT_GE(nowhere->wanted(Timestamp(1s + 50ms)), media::kSoundTurn) << "at the clock's pace";
}

TEST_F(OutputLogTest, EndsAtItsBoundAndSaysSoOnce) {
  auto log = open({.file = 100});
  for (int i = 0; i < 20; ++i) {
    log->add(Timestamp(1s), "sound", "", -20);
    log->flush();
  }
  log.reset();
  EXPECT_LE(std::filesystem::file_size(path), 100u);
  EXPECT_FALSE(lines().empty());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find(path), std::string::npos);
}

TEST_F(OutputLogTest, LinesThatNobodyTakesAreDroppedAndToldOnce) {
  auto log = open({.waiting = 8});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) log->add(Timestamp(1s), "sound", "", -20);
    log->flush();
  }
  EXPECT_EQ(lines().size(), 3 * 8u);
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(OutputLogTest, AFullDiskIsToldOnce) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  path = "/dev/full";
  auto log = open();
  for (int i = 0; i < 3; ++i) {
    log->add(Timestamp(1s), "sound", "", -20);
    log->flush();
  }
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(OutputLogTest, AFileThatCannotBeMadeIsAnError) {
  const auto opened = OutputLog::open((folder / "none" / "out.csv").string(), {});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("none"), std::string::npos);
}

TEST_F(OutputLogTest, TakesLinesOfManyThreads) {
  auto log = open();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 500; ++i) log->add(Timestamp(1s), "sound", "", -20);
      });
    }
    for (int i = 0; i < 20; ++i) log->flush();
  }
  log->flush();
  EXPECT_EQ(lines().size(), 2000u);
}

}  // namespace
}  // namespace qvid::app
