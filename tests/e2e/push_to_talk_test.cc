// Push to talk: who is heard while a key is held, by the desktop's portal and in the window. The desktop
// is the test's own; others in the room are the witnesses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/robot.h"
#include "tests/e2e/wav.h"
#include "tests/e2e/wayland_desktop.h"
#include "tests/temporary_folder.h"

namespace e2e::push_to_talk_test {
namespace {

using nlohmann::json;

class PushToTalk : public testing::Test {
 protected:
  void SetUp() override {
    if (!WaylandDesktop::available()) {
      GTEST_SKIP() << "dbus-daemon, pipewire and wireplumber are not all installed";
    }
  }

  std::vector<std::string> call(const std::vector<std::string>& more,
                                const std::string& microphone = "tone") const {
    std::vector<std::string> command{program(), "call",         broker_.url(), "--insecure",
                                     "--name",  "Ann",          "--no-camera", "--speaker",
                                     "none",    "--microphone", microphone};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  static std::vector<std::string> environment(const WaylandDesktop& desktop) {
    auto all = desktop.environment();
    all.emplace_back("LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS);
    return all;
  }
  std::unique_ptr<Process> ann(const WaylandDesktop& desktop) const {
    return std::make_unique<Process>(call({"--headless", "--push-to-talk"}), environment(desktop));
  }

  // What somebody in the room is told of her, for a second.
  bool is_muted() const {
    Process witness(watch(broker_.url(), "witness", {"--json", "--duration", "1"}));
    EXPECT_EQ(witness.wait(), 0) << witness.log();
    const json seen = json::parse(witness.out(), nullptr, false);
    const json muted = seen.is_object() ? seen.value("muted", json::array()) : json();
    return std::ranges::find(muted, json("Ann")) != muted.end();
  }
  void expect_muted(bool wanted) const {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (is_muted() != wanted) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << (wanted ? "heard" : "muted");
    }
  }
  // The loudest sample that somebody hears of the room in three seconds: a beep is one of them.
  float loudest() const {
    const qvid::TemporaryFolder folder;
    const std::string ear = (folder / "ear.wav").string();
    Process ears(watch(broker_.url(), "ears", {"--speaker", ear, "--duration", "3"}));
    EXPECT_EQ(ears.wait(), 0) << ears.log();
    float most = 0;
    for (const float sample : read_wav(ear)) most = std::max(most, std::abs(sample));
    return most;
  }
  static void expect_end(Process& process) {
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(), 0) << process.log();
  }

  BrokerProcess broker_;
};

TEST_F(PushToTalk, WhoHoldsTheDesktopsKeyIsHeard) {
  WaylandDesktop desktop("keys");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  ASSERT_TRUE(call->wait_for_log("hold CTRL+ALT+space to talk")) << call->log() << desktop.log();
  EXPECT_TRUE(
      desktop.portal().wait_for_log("'description': <'Talk in a call of Qvid, while it is held'>"))
      << desktop.log();
  expect_muted(true);
  EXPECT_LT(loudest(), 0.001F);
  desktop.portal().signal(SIGUSR1);
  expect_muted(false);
  EXPECT_GT(loudest(), 0.05F);
  // Another's key, and another session's, are none of hers.
  desktop.portal().signal(SIGUSR2);
  expect_muted(true);
  EXPECT_LT(loudest(), 0.001F);
  desktop.portal().signal(SIGWINCH);
  EXPECT_TRUE(call->wait_for_log("hold Hyper to talk")) << call->log();
  expect_end(*call);
}

TEST_F(PushToTalk, APortalThatKnowsNoNamesIsAskedToo) {
  WaylandDesktop desktop("keys-old");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  EXPECT_TRUE(call->wait_for_log("hold CTRL+ALT+space to talk")) << call->log() << desktop.log();
  expect_end(*call);
}

// By its end, by another one in its place, or by the desktop.
TEST_F(PushToTalk, WhoHoldsTheKeyOfAPortalThatEndsItIsMuted) {
  const std::vector<std::pair<std::function<void(WaylandDesktop&)>, std::string>> ends = {
      {[](WaylandDesktop& desktop) { desktop.end_portal(); }, "the desktop's portal is gone"},
      {[](WaylandDesktop& desktop) { EXPECT_TRUE(desktop.replace_portal()) << desktop.log(); },
       "the desktop's portal is gone"},
      {[](WaylandDesktop& desktop) { desktop.portal().signal(SIGHUP); },
       "the desktop has ended the shortcut"}};
  for (const auto& [end, told] : ends) {
    WaylandDesktop desktop("keys");
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    const auto call = ann(desktop);
    ASSERT_TRUE(call->wait_for_log("hold CTRL+ALT+space to talk")) << call->log() << desktop.log();
    desktop.portal().signal(SIGUSR1);
    expect_muted(false);
    end(desktop);
    EXPECT_TRUE(call->wait_for_log("the microphone stays muted: " + told)) << call->log();
    expect_muted(true);
    expect_end(*call);
  }
}

TEST_F(PushToTalk, ADesktopWithoutSuchAKeyIsToldOnce) {
  for (const auto& [portal, told] :
       {std::pair{"keys-refuse", "the shortcut was not allowed"},
        std::pair{"keys-none", "the shortcut was not allowed"},
        std::pair{"keys-unset", "choose a key for talking in the desktop's settings"},
        std::pair{"without", "the desktop has no global shortcuts"},
        std::pair{"late", "the desktop's portal has failed"},
        std::pair{"", "the desktop's portal does not answer"}}) {
    WaylandDesktop desktop(portal);
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    const auto call = ann(desktop);
    EXPECT_TRUE(call->wait_for_log(told)) << call->log() << desktop.log();
    expect_muted(true);
    expect_end(*call);
    const std::size_t first = call->log().find(told);
    EXPECT_EQ(call->log().find(told, first + 1), std::string::npos) << call->log();
  }
}

TEST_F(PushToTalk, ACallGoesOnAndEndsWhileThePersonIsAsked) {
  WaylandDesktop desktop("keys-wait");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  {
    const auto call = ann(desktop);
    EXPECT_TRUE(desktop.portal().wait_for_log("the dialog is open")) << call->log();
    expect_muted(true);
    expect_end(*call);
  }
  const auto call = ann(desktop);
  EXPECT_TRUE(desktop.portal().wait_for_log("the dialog is open")) << call->log();
  desktop.end_portal();
  EXPECT_TRUE(call->wait_for_log("the desktop's portal is gone")) << call->log();
  expect_end(*call);
}

// As the settings say, in German; and space talks with a desktop's key and without one.
TEST_F(PushToTalk, TheWindowsKeyTalksWhateverTheDesktopHas) {
  const auto display = open_display();
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  const qvid::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "qvid");
  std::ofstream(folder / "qvid/settings.toml") << "push_to_talk = true\nlanguage = 'de'\n";
  for (const auto& [portal, told] :
       {std::pair{"keys", "CTRL+ALT+space halten"}, std::pair{"", "nur die Leertaste"}}) {
    WaylandDesktop desktop(portal);
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    auto around = desktop.environment();
    for (const std::string& one : on(*display)) around.push_back(one);
    around.push_back("XDG_CONFIG_HOME=" + folder.path().string());
    Process call(this->call({}), around);
    ASSERT_TRUE(call.wait_for_log(told)) << call.log() << desktop.log();
    Robot robot(display->name());
    ASSERT_TRUE(robot.focus("Qvid - den")) << call.log();
    expect_muted(true);
    robot.hold("space");
    expect_muted(false);
    robot.release("space");
    expect_muted(true);
    if (*portal != '\0') {
      EXPECT_TRUE(desktop.portal().wait_for_log("Sprechen in einem Anruf")) << desktop.log();
      desktop.portal().signal(SIGUSR1);
      expect_muted(false);
      desktop.end_portal();
      EXPECT_TRUE(call.wait_for_log("nur die Leertaste")) << call.log();
      expect_muted(true);
    }
    robot.key("q");
    EXPECT_EQ(call.wait(), 0) << call.log();
  }
}

// As on a desktop of X11 without anything of this.
TEST_F(PushToTalk, WithoutASessionBusItIsToldAndTheCallGoesOn) {
  const qvid::TemporaryFolder folder;
  Process call(this->call({"--headless", "--push-to-talk"}),
               {"DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=" + folder.path().string()});
  EXPECT_TRUE(call.wait_for_log("there is no session bus")) << call.log();
  expect_muted(true);
  expect_end(call);
}

// Nobody is asked where it is not wanted, or where there is nothing to be heard.
TEST_F(PushToTalk, NobodyIsAskedUnasked) {
  WaylandDesktop desktop("keys");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  for (const auto& command :
       {call({"--headless"}), call({"--headless", "--push-to-talk"}, "none")}) {
    Process call(command, environment(desktop));
    EXPECT_TRUE(call.wait_for_log("joined")) << call.log();
    expect_end(call);
  }
  EXPECT_EQ(desktop.log().find("bind "), std::string::npos) << desktop.log();
}

}  // namespace
}  // namespace e2e::push_to_talk_test
