// What other programs play goes along with a shared screen, by a sound server of the test's own; and
// what the others say, which the same loudspeaker plays, does not come back to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/pulse_server.h"
#include "tests/e2e/robot.h"
#include "tests/e2e/wav.h"
#include "tests/temporary_folder.h"

namespace e2e::share_sound_test {
namespace {

using qvid::TemporaryFolder;

// None is a harmonic of another.
constexpr double kSong = 1010;  // Hz: what another program plays
constexpr double kWord = 730;   // what the other one of the call says
constexpr double kOwn = 430;    // what who shares says
constexpr float kLoud = 0.25F;

std::vector<float> tone(double hertz, int seconds) {
  std::vector<float> samples(static_cast<std::size_t>(seconds) * kWavRate);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double turns = hertz * static_cast<double>(i) / kWavRate;
    samples[i] = kLoud * static_cast<float>(std::sin(2 * std::numbers::pi * turns));
  }
  return samples;
}

double amplitude_of(double hertz, std::span<const float> heard) {
  double re = 0;
  double im = 0;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    // Hann: what begins or ends within is no tone of every pitch.
    const double x = static_cast<double>(i) / static_cast<double>(heard.size());
    const double window = 1 - std::cos(2 * std::numbers::pi * x);
    const double turn = 2 * std::numbers::pi * hertz * static_cast<double>(i) / kWavRate;
    re += window * static_cast<double>(heard[i]) * std::cos(turn);
    im += window * static_cast<double>(heard[i]) * std::sin(turn);
  }
  return 2 * std::hypot(re, im) / static_cast<double>(heard.size());
}

// How loud a tone is in the loudest half second of it, in dB below one that is sent. A gap in another tone,
// as a busy machine makes them, is a noise of every pitch: what is as loud beside the tone does not count.
double level_of(double hertz, std::span<const float> heard) {
  constexpr std::size_t kPart = kWavRate / 2;
  double most = 0;
  for (std::size_t at = 0; at + kPart <= heard.size(); at += kPart / 2) {
    const auto part = heard.subspan(at, kPart);
    double beside = 0;
    for (const double off : {-40, -24, 24, 40}) {
      beside = std::max(beside, amplitude_of(hertz + off, part));
    }
    most = std::max(most, amplitude_of(hertz, part) - beside);
  }
  return 20 * std::log10(std::max(most, 1e-9) / static_cast<double>(kLoud));
}

class ShareSound : public testing::Test {
 protected:
  void SetUp() override { start(PulseServer::Kind::kPulseAudio); }
  void start(PulseServer::Kind kind) {
    if (!PulseServer::available(kind)) GTEST_SKIP() << "that sound server is not installed";
    pulse_ = std::make_unique<PulseServer>(kind);
    ASSERT_TRUE(pulse_->ok());
    pulse_->add_sink("Loud");
    pulse_->set_default_sink("Loud");
  }

  std::string wav(double hertz, int seconds) {
    const std::string path = (folder_ / std::to_string(hertz)).string() + ".wav";
    write_wav(path, tone(hertz, seconds));
    return path;
  }
  std::vector<std::string> call(const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> command{program(),    "--json", "call", broker_.url(),
                                     "--insecure", "--name", name,   "--no-camera"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  // Who shares: its loudspeaker is the server's, its microphone a file's unless it is said.
  std::unique_ptr<Process> ann(const std::vector<std::string>& more,
                               std::vector<std::string> environment = {}) {
    std::vector<std::string> all{"--headless", "--share", "test", "--size",
                                 "160x120",    "--rate",  "5"};
    all.insert(all.end(), more.begin(), more.end());
    if (std::ranges::find(more, "--speaker") == more.end()) {
      all.insert(all.end(), {"--speaker", "default"});
    }
    auto around = pulse_->environment();
    around.insert(around.end(), environment.begin(), environment.end());
    around.push_back("LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS);
    return std::make_unique<Process>(call("Ann", all), around);
  }
  // Who hears, into a file, and says something all the time.
  std::unique_ptr<Process> bob() {
    return std::make_unique<Process>(
        call("Bob", {"--headless", "--speaker", ear_, "--microphone", wav(kWord, 1)}));
  }
  std::unique_ptr<Process> play() {
    return std::make_unique<Process>(std::vector<std::string>{"paplay", wav(kSong, 60)},
                                     pulse_->environment());
  }
  // A member says what is heard: waits until it has been for so many seconds.
  static bool heard_for(Process& process, int seconds) {
    return process.wait(Milliseconds(seconds * 1000)) == -1;
  }
  static nlohmann::json report_of(Process& process) {
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(), 0) << process.log();
    return nlohmann::json::parse(process.out(), nullptr, false);
  }
  std::vector<float> heard() const { return read_wav(ear_); }

  TemporaryFolder folder_;
  const std::string ear_ = (folder_ / "ear.wav").string();
  std::unique_ptr<PulseServer> pulse_;
  BrokerProcess broker_;
};

class ShareSoundOn : public ShareSound, public testing::WithParamInterface<PulseServer::Kind> {
 protected:
  void SetUp() override { start(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Servers, ShareSoundOn,
                         testing::Values(PulseServer::Kind::kPulseAudio,
                                         PulseServer::Kind::kPipeWire),
                         [](const auto& kind) {
                           return kind.param == PulseServer::Kind::kPulseAudio ? "PulseAudio"
                                                                               : "PipeWire";
                         });

TEST_P(ShareSoundOn, OthersHearItAndNotThemselves) {
  const auto song = play();
  const auto listener = bob();
  ASSERT_TRUE(listener->wait_for_log("joined")) << listener->log();
  // What is played on the loudspeaker, as who sits there hears it.
  Process room({"parec", "--device=Loud.monitor", "--rate=48000", "--channels=1",
                "--file-format=wav", (folder_ / "room.wav").string()},
               pulse_->environment());
  const auto sharer = ann({"--share-sound", "--microphone", wav(kOwn, 1)});
  ASSERT_TRUE(logs(*sharer, "the sound of this computer is shared")) << sharer->log();
  ASSERT_TRUE(logs(*listener, "sound of 'Ann'")) << listener->log();
  ASSERT_TRUE(logs(*sharer, "sound of 'Bob'")) << sharer->log();
  ASSERT_TRUE(heard_for(*listener, 8));
  room.signal(SIGINT);
  EXPECT_EQ(room.wait(), 0) << room.log();
  const auto told = report_of(*listener);
  const std::vector<float> at_ear = heard();
  const std::vector<float> in_room = read_wav((folder_ / "room.wav").string());
  EXPECT_GT(level_of(kWord, in_room), -6) << "Bob's word is on the loudspeaker";
  EXPECT_GT(level_of(kSong, in_room), -6) << "and so is the song";
  EXPECT_GT(level_of(kSong, at_ear), -6) << told;
  EXPECT_GT(level_of(kOwn, at_ear), -6) << "the microphone's goes along";
  EXPECT_LT(level_of(kWord, at_ear), -40) << "he must not hear himself";
  EXPECT_TRUE(report_of(*sharer)["sound"]["shared"]);
}

TEST_F(ShareSound, WhoIsMutedOrHasNoMicrophoneSharesItAllTheSame) {
  const auto song = play();
  const auto listener = bob();
  ASSERT_TRUE(listener->wait_for_log("joined")) << listener->log();
  const auto sharer = ann({"--share-sound", "--muted", "--microphone", wav(kOwn, 1)});
  ASSERT_TRUE(logs(*listener, "sound of 'Ann'")) << listener->log();
  ASSERT_TRUE(heard_for(*listener, 5));
  report_of(*sharer);
  const auto other = ann({"--share-sound"});  // without a window there is none
  ASSERT_TRUE(logs(*other, "the sound of this computer is shared")) << other->log();
  ASSERT_TRUE(heard_for(*listener, 4));
  report_of(*listener);
  const auto sound = report_of(*other)["sound"];
  EXPECT_TRUE(sound["publishes"] && sound["shared"] && !sound["microphone"]) << sound;
  const auto at_ear = heard();
  EXPECT_GT(level_of(kSong, at_ear), -6);
  EXPECT_GT(level_of(kSong, std::span(at_ear).last(2 * kWavRate)), -6);
  EXPECT_LT(level_of(kOwn, at_ear), -40);
}

TEST_F(ShareSound, UnaskedNothingOfItIsSent) {
  const auto song = play();
  const auto listener = bob();
  ASSERT_TRUE(listener->wait_for_log("joined")) << listener->log();
  const auto sharer = ann({"--microphone", wav(kOwn, 1)});
  ASSERT_TRUE(logs(*listener, "sound of 'Ann'")) << listener->log();
  ASSERT_TRUE(heard_for(*listener, 4));
  report_of(*listener);
  EXPECT_GT(level_of(kOwn, heard()), -6);
  EXPECT_LT(level_of(kSong, heard()), -40);
  EXPECT_FALSE(report_of(*sharer)["sound"]["shared"]);
}

TEST_P(ShareSoundOn, AServerThatGoesIsToldAndOneThatComesIsTaken) {
  const auto listener = bob();
  ASSERT_TRUE(listener->wait_for_log("joined")) << listener->log();
  const auto sharer = ann({"--share-sound", "--microphone", wav(kOwn, 1)});
  ASSERT_TRUE(logs(*sharer, "the sound of this computer is shared")) << sharer->log();
  pulse_->restart();
  ASSERT_TRUE(pulse_->ok());
  ASSERT_TRUE(sharer->wait_for_log("is not shared any more")) << sharer->log();
  pulse_->add_sink("Loud");
  const auto song = play();
  ASSERT_TRUE(sharer->wait_for_log("the sound of this computer is shared")) << sharer->log();
  ASSERT_TRUE(heard_for(*listener, 6));
  report_of(*listener);
  EXPECT_GT(level_of(kSong, heard()), -6);
  EXPECT_GT(level_of(kOwn, heard()), -6) << "the call went on";
  EXPECT_TRUE(report_of(*sharer)["sound"]["shared"]);
}

TEST_F(ShareSound, WithoutAServerItIsToldAndTheCallGoesOn) {
  const auto listener = bob();
  ASSERT_TRUE(listener->wait_for_log("joined")) << listener->log();
  const auto sharer = ann({"--share-sound", "--microphone", wav(kOwn, 1), "--speaker", "none"},
                          {"PULSE_SERVER=unix:/nowhere"});
  ASSERT_TRUE(logs(*sharer, "there is no sound server")) << sharer->log();
  ASSERT_TRUE(logs(*listener, "first picture of share 0: 'Ann'")) << listener->log();
  ASSERT_TRUE(heard_for(*listener, 3));
  report_of(*listener);
  EXPECT_GT(level_of(kOwn, heard()), -6);
  EXPECT_FALSE(report_of(*sharer)["sound"]["shared"]);
}

struct ShareSoundInTheWindow : ShareSound, testing::WithParamInterface<bool> {};

TEST_P(ShareSoundInTheWindow, IsChosenByKeys) {
  const bool has_microphone = GetParam();
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "no Xvfb";
  const auto song = play();
  const auto listener = bob();
  ASSERT_TRUE(listener->wait_for_log("joined")) << listener->log();
  auto around = pulse_->environment();
  for (const std::string& variable : on(*display)) around.push_back(variable);
  around.push_back("LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS);
  Process sharer(
      call("Ann", {"--microphone", has_microphone ? wav(kOwn, 1) : "none", "--speaker", "default"}),
      around);
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - den")) << sharer.log();
  ASSERT_TRUE(logs(sharer, "sound of 'Bob'")) << sharer.log();
  robot.key("d");
  // The desktop is offered first, and above it the sound. Nothing tells when that is to be seen.
  ASSERT_TRUE(heard_for(*listener, 2));
  robot.key("Up");
  robot.key("space");
  robot.key("Down");
  robot.key("Return");
  ASSERT_TRUE(logs(*listener, "Ann shares something")) << sharer.log();
  ASSERT_TRUE(logs(sharer, "the sound of this computer is shared")) << sharer.log();
  robot.key("m");
  robot.key("z");
  ASSERT_TRUE(heard_for(*listener, 4));
  robot.key("d");
  ASSERT_TRUE(heard_for(*listener, 3));
  report_of(*listener);
  const auto at_ear = heard();
  const auto last = std::span(at_ear).last(kWavRate);
  EXPECT_GT(level_of(kSong, at_ear), -6);
  EXPECT_LT(level_of(kSong, last), -40) << "with what was shared its sound ends";
  EXPECT_LT(level_of(kWord, at_ear), -40);
  robot.key("q");
  EXPECT_EQ(sharer.wait(), 0) << sharer.log();
}
INSTANTIATE_TEST_SUITE_P(, ShareSoundInTheWindow, testing::Bool(), [](const auto& info) {
  return info.param ? "BesideAMicrophone" : "WithoutAMicrophone";
});

}  // namespace
}  // namespace e2e::share_sound_test
