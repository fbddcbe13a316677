// A screen of a Wayland desktop: the person is asked by the portal, and what is chosen comes by
// PipeWire. The desktop is the test's own.
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/shared_picture.h"
#include "tests/e2e/wayland_desktop.h"
#include "tests/temporary_folder.h"

namespace e2e::wayland_share_test {
namespace {

using nlohmann::json;

class WaylandShare : public testing::Test {
 protected:
  void SetUp() override {
    if (!WaylandDesktop::available()) {
      GTEST_SKIP() << "dbus-daemon, pipewire and wireplumber are not all installed";
    }
  }

  // A call of Ann's with her camera, who shares a screen, too.
  std::unique_ptr<Process> ann(const WaylandDesktop& desktop) const {
    auto environment = desktop.environment();
    environment.emplace_back(
        "LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS);
    return std::make_unique<Process>(
        std::vector<std::string>{program(), "call", broker_.url(), "--insecure", "--name", "Ann",
                                 "--headless", "--source", "test", "--share", "screen", "--size",
                                 "160x120", "--rate", "15", "--gop", "15"},
        environment);
  }
  // Her camera goes on, whatever became of the screen.
  void expect_camera() {
    Process eyes({program(), "watch", broker_.url(), "Ann", "--insecure", "--name", "eyes",
                  "--headless", "--json", "--duration", "2"});
    EXPECT_EQ(eyes.wait(), 0) << eyes.log();
    const json seen = json::parse(eyes.out(), nullptr, false);
    ASSERT_TRUE(seen.is_object()) << eyes.out() << eyes.log();
    EXPECT_GT(seen["seats"][0]["frames_shown"], 2) << seen;
  }
  Seen record_until(const std::function<bool(const Seen&)>& is_wanted) const {
    return shared_picture(broker_.url(), "Ann", is_wanted);
  }
  static void expect_end(Process& call) {
    call.signal(SIGINT);
    EXPECT_EQ(call.wait(), 0) << call.log();
  }

  BrokerProcess broker_;
};

constexpr Colour kRed{88, 118, 196};    // 192, 32, 64
constexpr Colour kGreen{132, 77, 83};   // 64, 192, 32
constexpr Colour kBlack{16, 128, 128};  // what a picture of another shape stands on

// Of all that is stored, and of a part of it.
TEST_F(WaylandShare, WhatIsChosenIsSeenAlsoWhereItStandsStillAndChangesItsSize) {
  for (const char* what : {"allow", "window"}) {
    WaylandDesktop desktop(what);
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    const auto call = ann(desktop);
    ASSERT_TRUE(call->wait_for_log("screen: window chosen on the desktop, 320x240 at 15 fps"))
        << call->log() << desktop.log();
    // The desktop gives eight pictures and no more.
    const Seen still =
        record_until([](const Seen& seen) { return seen.pictures > 8 && near(seen.middle, kRed); });
    EXPECT_EQ(still.size, (qvid::media::PictureSize{320, 240}));
    EXPECT_GT(still.pictures, 8);
    EXPECT_TRUE(near(still.middle, kRed)) << still.middle;
    EXPECT_TRUE(near(still.edge, kRed)) << still.edge;
    desktop.portal().signal(SIGUSR1);
    const Seen changed = record_until([](const Seen& seen) { return near(seen.middle, kGreen); });
    EXPECT_EQ(changed.size, still.size);
    EXPECT_TRUE(near(changed.middle, kGreen)) << changed.middle;
    EXPECT_TRUE(near(changed.edge, kBlack)) << changed.edge;
    expect_end(*call);
  }
}

TEST_F(WaylandShare, WhoChoseItEndsItAndTheCallGoesOn) {
  WaylandDesktop desktop("allow");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  ASSERT_TRUE(call->wait_for_log("chosen on the desktop")) << call->log() << desktop.log();
  desktop.portal().signal(SIGUSR2);
  EXPECT_TRUE(call->wait_for_log("the desktop has ended it")) << call->log();
  EXPECT_TRUE(desktop.portal().wait_for_log("who asked has left")) << desktop.log();
  expect_camera();
  expect_end(*call);
  EXPECT_EQ(call->log().find("trying again"), std::string::npos) << call->log();
}

// By who chose it, by its own end, or with what brings it.
TEST_F(WaylandShare, TheEndOfWhatIsShownIsTold) {
  const std::vector<std::function<void(WaylandDesktop&)>> ends = {
      [](WaylandDesktop& desktop) { desktop.portal().signal(SIGHUP); },
      [](WaylandDesktop& desktop) { desktop.end_pipewire(); },
      [](WaylandDesktop& desktop) { desktop.end_portal(); },
      [](WaylandDesktop& desktop) { EXPECT_TRUE(desktop.replace_portal()) << desktop.log(); }};
  for (const auto& end : ends) {
    WaylandDesktop desktop("allow");
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    const auto call = ann(desktop);
    ASSERT_TRUE(call->wait_for_log("chosen on the desktop")) << call->log() << desktop.log();
    end(desktop);
    EXPECT_TRUE(call->wait_for_log("the desktop has ended it")) << call->log();
    expect_camera();
    expect_end(*call);
  }
}

TEST_F(WaylandShare, ARefusalIsToldAndTheCallGoesOn) {
  WaylandDesktop desktop("refuse");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  EXPECT_TRUE(call->wait_for_log("no screen was chosen")) << call->log() << desktop.log();
  expect_camera();
  expect_end(*call);
  EXPECT_EQ(call->log().find("trying again"), std::string::npos) << call->log();
}

TEST_F(WaylandShare, ACallGoesOnAndEndsWhileTheChooserIsOpen) {
  WaylandDesktop desktop("wait");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  EXPECT_TRUE(desktop.portal().wait_for_log("the chooser is open")) << call->log();
  expect_camera();
  expect_end(*call);
}

TEST_F(WaylandShare, APortalThatGoesWhileTheChooserIsOpenIsTold) {
  WaylandDesktop desktop("wait");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  EXPECT_TRUE(desktop.portal().wait_for_log("the chooser is open")) << call->log();
  desktop.end_portal();
  EXPECT_TRUE(call->wait_for_log("portal has gone")) << call->log();
  expect_end(*call);
}

TEST_F(WaylandShare, ASessionThatIsClosedWhileTheChooserIsOpenIsTold) {
  WaylandDesktop desktop("wait");
  ASSERT_TRUE(desktop.ok()) << desktop.log();
  const auto call = ann(desktop);
  EXPECT_TRUE(desktop.portal().wait_for_log("the chooser is open")) << call->log();
  desktop.portal().signal(SIGUSR2);
  EXPECT_TRUE(call->wait_for_log("it has ended the session")) << call->log();
  expect_end(*call);
}

TEST_F(WaylandShare, WhatGivesNoPicturesIsTold) {
  for (const auto& [portal, told] :
       {std::pair{"empty", "nothing has come for 10 s"},
        std::pair{"short", "memory is shorter than it is said to be"}}) {
    WaylandDesktop desktop(portal);
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    const auto call = ann(desktop);
    EXPECT_TRUE(call->wait_for_log(told)) << call->log() << desktop.log();
    expect_camera();
    expect_end(*call);
  }
}

TEST_F(WaylandShare, ADesktopThatCannotBeAskedIsTold) {
  for (const auto& [portal, told] : {std::pair{"without", "portal shows no screens"},
                                     std::pair{"late", "portal has failed to answer"},
                                     std::pair{"", "which shows screens, does not answer"}}) {
    WaylandDesktop desktop(portal);
    ASSERT_TRUE(desktop.ok()) << desktop.log();
    const auto call = ann(desktop);
    EXPECT_TRUE(call->wait_for_log(told)) << call->log() << desktop.log();
    expect_end(*call);
  }
}

TEST_F(WaylandShare, ItIsListedAndNeedsASessionBus) {
  const qvid::TemporaryFolder folder;
  const std::vector<std::string> bare = {
      "XDG_SESSION_TYPE=wayland", "WAYLAND_DISPLAY=", "DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=",
      "XDG_RUNTIME_DIR=" + folder.path().string()};
  Process sources({program(), "sources"}, bare);
  EXPECT_EQ(sources.wait(), 0) << sources.log();
  EXPECT_NE(sources.out().find("which the desktop lets you choose"), std::string::npos)
      << sources.out();
  for (const auto& [source, told] : {std::pair{"screen", "there is no session bus"},
                                     std::pair{"screen@64x64+0+0", "only had of X11"}}) {
    Process serve({program(), "serve", source, "--listen", "127.0.0.1:0"}, bare);
    EXPECT_EQ(serve.wait(), 2) << serve.log();
    EXPECT_NE(serve.log().find(told), std::string::npos) << serve.log();
  }
}

}  // namespace
}  // namespace e2e::wayland_share_test
