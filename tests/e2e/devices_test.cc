// Devices changed in the window of a call, by its panel and a robot's keys: a sound server of the test's own
// and other members are the witnesses.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/pulse_server.h"
#include "tests/e2e/robot.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// The panel's lines, from the camera in use on: None of cameras, the system's microphone, the others,
// None; the system's loudspeaker, the others, None.
class Devices : public testing::Test {
 protected:
  void SetUp() override {
    if (!PulseServer::available()) GTEST_SKIP() << "pulseaudio and pactl are not installed";
    display_ = open_display("1280x800");
    if (!display_) GTEST_SKIP() << "there is no Xvfb here";
    pulse_ = std::make_unique<PulseServer>();
    ASSERT_TRUE(pulse_->ok()) << pulse_->log();
    pulse_->add_sink("Loud");
    pulse_->add_sink("Other");
    pulse_->add_microphone("Mike", "Loud");
    pulse_->add_microphone("Second", "Other");
    robot_ = std::make_unique<Robot>(display_->name());
  }
  // A call in a window that has the keyboard.
  void call(const Words& more) {
    Words environment = pulse_->environment();
    environment.push_back("SDL_AUDIO_INCLUDE_MONITORS=");
    for (const std::string& one : on(*display_)) environment.push_back(one);
    environment.push_back("XDG_CONFIG_HOME=" + folder_.path().string());
    Words words{program(), "call", broker_.url(), "--insecure", "--name", "Ann"};
    words.insert(words.end(), more.begin(), more.end());
    ann_ = std::make_unique<Process>(words, environment);
    ASSERT_TRUE(logs(*ann_, "joined the room")) << ann_->log();
    ASSERT_TRUE(robot_->focus("Qvid - den")) << ann_->log();
  }
  // What is so many lines from the first one that has the focus. What has just been plugged in is known a
  // little later: it is opened and tried again until it is so.
  bool choose(const std::string& key, int lines, const std::function<bool()>& is_so) {
    for (int i = 0; i < 30; ++i) {
      robot_->key("o");
      if (lines > 0) robot_->key(key, lines);
      robot_->key("Return");
      const bool so = is_so();
      robot_->key("Escape");
      if (so) return true;
    }
    return false;
  }
  std::function<bool()> says(const std::string& text) {
    return [this, text] { return ann_->wait_for_log(text, Milliseconds(1500)).has_value(); };
  }
  // The number of a source or a sink.
  std::string number_of(const std::string& kind, const std::string& name) {
    std::istringstream lines(pulse_->pactl({"list", "short", kind}));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string number;
      std::string called;
      fields >> number >> called;
      if (called == name) return number;
    }
    return "none is called " + name;
  }
  // Those that programs listen to, or play to.
  Words used(const std::string& kind) {
    Words all;
    std::istringstream lines(pulse_->pactl({"list", "short", kind}));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string stream;
      std::string device;
      fields >> stream >> device;
      if (line.find("protocol-native") != std::string::npos) all.push_back(device);
    }
    return all;
  }
  // Until the server says so: one device is let go a moment after the other is used.
  bool in_the_end(const std::function<bool()>& is_so) {
    for (int i = 0; i < 100; ++i) {
      if (is_so()) return true;
      ann_->wait_for_log("(nothing)", Milliseconds(50));
    }
    return false;
  }
  // As another member is told.
  json told_of_ann() {
    Process witness({program(), "--json", "watch", broker_.url(), "--insecure", "--headless",
                     "--name", "witness"});
    EXPECT_TRUE(logs(witness, "joined the room")) << witness.log();
    EXPECT_TRUE(ann_->wait_for_log("witness joined")) << ann_->log();
    witness.signal(SIGINT);
    EXPECT_EQ(witness.wait(), 0) << witness.log();
    return json::parse(witness.out(), nullptr, false);
  }
  json published_by_ann() { return told_of_ann()["publishes"].value("Ann", json()); }
  std::string settings() const {
    std::ifstream in(folder_ / "qvid/settings.toml");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool kept(const std::string& line) {
    return in_the_end([&] { return settings().find(line) != std::string::npos; });
  }

  qvid::TemporaryFolder folder_;
  BrokerProcess broker_;
  std::unique_ptr<Display> display_;
  std::unique_ptr<PulseServer> pulse_;
  std::unique_ptr<Robot> robot_;
  std::unique_ptr<Process> ann_;
};

TEST_F(Devices, AnotherMicrophoneAndLoudspeakerAreUsedAtOnce) {
  call({"--source", "test", "--microphone", "Mike", "--speaker", "Loud"});
  ASSERT_TRUE(in_the_end([&] {
    return used("source-outputs") == Words{number_of("sources", "Mike")};
  })) << pulse_->pactl({"list", "short", "source-outputs"});
  EXPECT_TRUE(choose("Down", 4, says("microphone 'Second' is used"))) << ann_->log();
  EXPECT_TRUE(in_the_end([&] {
    return used("source-outputs") == Words{number_of("sources", "Second")};
  })) << pulse_->pactl({"list", "short", "source-outputs"});
  EXPECT_TRUE(kept("microphone = \"Second\"")) << settings();

  EXPECT_TRUE(choose("Down", 8, says("loudspeaker 'Other' is used"))) << ann_->log();
  EXPECT_TRUE(in_the_end([&] { return used("sink-inputs") == Words{number_of("sinks", "Other")}; }))
      << pulse_->pactl({"list", "short", "sink-inputs"});
  EXPECT_TRUE(kept("loudspeaker = \"Other\"")) << settings();

  // What is plugged in while one looks is there, too.
  pulse_->add_sink("Late");
  EXPECT_TRUE(choose("Down", 9, says("loudspeaker 'Late' is used"))) << ann_->log();
  EXPECT_EQ(published_by_ann(), json({"picture", "sound"}));
  robot_->key("q");
  EXPECT_EQ(ann_->wait(), 0) << ann_->log();
}

TEST_F(Devices, CameraAndMicrophoneGoAndComeBack) {
  call({"--source", "test", "--microphone", "none", "--speaker", "none"});
  EXPECT_EQ(published_by_ann(), json({"picture"}));
  robot_->key("m");  // also of a microphone that is not there yet
  ASSERT_TRUE(choose("Down", 3, says("microphone 'Mike' is used"))) << ann_->log();
  const json told = told_of_ann();
  EXPECT_EQ(told["publishes"]["Ann"], json({"picture", "sound"}));
  EXPECT_EQ(told["muted"], json({"Ann"}));

  robot_->key("o");
  robot_->key("Down");
  robot_->key("Return");
  EXPECT_TRUE(kept("join_without_camera = true")) << settings();
  EXPECT_EQ(published_by_ann(), json({"sound"}));
  robot_->key("Up");
  robot_->key("Return");
  EXPECT_TRUE(kept("join_without_camera = false")) << settings();
  Process witness(watch(broker_.url(), "eye"));
  EXPECT_TRUE(logs(witness, "first picture of seat 0: 'Ann'")) << witness.log();
  // From the camera on: None, and of the microphones the fourth.
  robot_->key("Down", 5);
  robot_->key("Return");
  EXPECT_TRUE(kept("microphone = \"none\"")) << settings();
  EXPECT_EQ(published_by_ann(), json({"picture"}));
  robot_->key("Escape");
  robot_->key("q");
  EXPECT_EQ(ann_->wait(), 0) << ann_->log();
}

TEST_F(Devices, ACameraThatCannotBeOpenedIsToldAndTheCallGoesOn) {
  call({"--no-camera", "--source", "camera:/dev/video63", "--microphone", "none", "--speaker",
        "none"});
  EXPECT_TRUE(choose("Up", 1, [this] {
    const auto line = ann_->wait_for_log("nothing is changed", Milliseconds(3000));
    return line && line->find("/dev/video63") != std::string::npos;
  })) << ann_->log();
  EXPECT_EQ(settings().find("join_without_camera = "), std::string::npos) << settings();
  EXPECT_EQ(published_by_ann(), json::array());
  robot_->key("q");
  EXPECT_EQ(ann_->wait(), 0) << ann_->log();
}

}  // namespace
}  // namespace e2e
