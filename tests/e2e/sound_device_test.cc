// Real devices of a private PulseAudio: shows that what is played is heard, when, and what happens
// when a device, the default or the whole sound server goes and comes back.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/pulse_server.h"

namespace e2e {
namespace {

class SoundDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PulseServer::available()) GTEST_SKIP() << "pulseaudio and pactl are not installed";
    pulse_ = std::make_unique<PulseServer>();
    ASSERT_TRUE(pulse_->ok()) << pulse_->log();
  }

  std::unique_ptr<Process> probe(const std::string& seconds, const std::string& speaker,
                                 const std::string& microphone,
                                 std::vector<std::string> environment = {}) {
    auto all = pulse_->environment();
    all.insert(all.end(), environment.begin(), environment.end());
    all.push_back("LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS);
    return std::make_unique<Process>(
        std::vector<std::string>{QVID_SOUND_PROBE, seconds, speaker, microphone}, all);
  }
  static nlohmann::json result(Process& process) {
    EXPECT_EQ(process.wait(), 0) << process.log();
    return nlohmann::json::parse(process.out(), nullptr, false);
  }
  static nlohmann::json ended(Process& process) {
    process.signal(SIGTERM);
    return result(process);
  }

  std::unique_ptr<PulseServer> pulse_;
};

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(SoundDeviceTest, WhatIsPlayedIsHeardWhenItIsSaidTo) {
  pulse_->add_sink("Loud");
  pulse_->add_microphone("Mike", "Loud");
  const auto process = probe("4", "Loud", "Mike");
  const auto told = result(*process);
  ASSERT_TRUE(told.is_object()) << process->out() << process->log();
  EXPECT_GT(told["correlation"], 0.9) << told;
  EXPECT_GT(told["lag_ms"], -150.0) << told;  // both ends are estimates
  EXPECT_LT(told["lag_ms"], 200.0) << told;
  EXPECT_GT(told["heard"], 3.0) << told;
  EXPECT_EQ(count_of(process->log(), "is used"), 2) << process->log();
}

TEST_F(SoundDeviceTest, ALoudspeakerThatIsLostIsToldOnceAndUsedAgain) {
  pulse_->add_sink("First");
  const std::string module = pulse_->add_sink("Second");
  const auto process = probe("30", "Second", "Monitor of Second");
  ASSERT_TRUE(process->wait_for_log("loudspeaker 'Second' is used"));
  pulse_->remove(module);
  ASSERT_TRUE(process->wait_for_log("loudspeaker 'Second' is lost"));
  pulse_->add_sink("Second");
  ASSERT_TRUE(process->wait_for_log("loudspeaker 'Second' is used"));
  const auto told = ended(*process);
  ASSERT_TRUE(told.is_object()) << process->out() << process->log();
  EXPECT_EQ(count_of(process->log(), "loudspeaker 'Second' is lost"), 1) << process->log();
  // Sound went on all the while: what is played passes, and silence is captured.
  EXPECT_GT(told["played"], told["seconds"].get<double>() - 1.0) << told;
  EXPECT_GT(told["heard"], told["seconds"].get<double>() - 1.0) << told;
}

// A column of pactl's line that contains `text`; empty: there is none.
std::string field_of(const std::string& lines, const std::string& text, int column) {
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) {
    if (line.find(text) == std::string::npos) continue;
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i <= column; ++i) std::getline(fields, field, '\t');
    return field;
  }
  return {};
}

TEST_F(SoundDeviceTest, TheDefaultIsFollowed) {
  pulse_->add_sink("First");
  pulse_->add_sink("Second");
  pulse_->set_default_sink("First");
  const auto process = probe("30", "default", "");
  ASSERT_TRUE(process->wait_for_log("loudspeaker 'First' is used")) << process->log();
  pulse_->set_default_sink("Second");
  // The server moves the stream, or it is opened anew: it plays there in the end.
  const std::string second = field_of(pulse_->pactl({"list", "short", "sinks"}), "Second", 0);
  std::string playing_on;
  for (int i = 0; i < 200 && playing_on != second; ++i) {
    playing_on = field_of(pulse_->pactl({"list", "short", "sink-inputs"}), "protocol-native", 1);
    process->wait_for_log("(nothing)", Milliseconds(50));
  }
  EXPECT_EQ(playing_on, second) << pulse_->pactl({"list", "short", "sink-inputs"});
  EXPECT_NE(pulse_->pactl({"list", "sink-inputs"}).find("application.name = \"Qvid\""),
            std::string::npos);
  ended(*process);
}

TEST_F(SoundDeviceTest, ASoundServerThatBeganAnewIsFoundAgain) {
  pulse_->add_sink("Loud");
  const auto process = probe("40", "Loud", "");
  ASSERT_TRUE(process->wait_for_log("loudspeaker 'Loud' is used")) << process->log();
  pulse_->restart();
  ASSERT_TRUE(pulse_->ok());
  ASSERT_TRUE(process->wait_for_log("loudspeaker 'Loud' is lost")) << process->log();
  pulse_->add_sink("Loud");
  EXPECT_TRUE(process->wait_for_log("loudspeaker 'Loud' is used")) << process->log();
  const auto told = ended(*process);
  EXPECT_GT(told["played"], told["seconds"].get<double>() - 1.0) << told;
}

TEST_F(SoundDeviceTest, WithoutAnyDeviceItIsToldOnceAndGoesOn) {
  const auto process = probe("4", "default", "default", {"PULSE_SERVER=unix:/nowhere"});
  const auto told = result(*process);
  EXPECT_EQ(count_of(process->log(), "there is no loudspeaker"), 1) << process->log();
  EXPECT_EQ(count_of(process->log(), "there is no microphone"), 1) << process->log();
  EXPECT_NEAR(told["played"], 4.0, 0.5) << told;
  EXPECT_NEAR(told["heard"], 4.0, 0.5) << told;
}

}  // namespace
}  // namespace e2e
