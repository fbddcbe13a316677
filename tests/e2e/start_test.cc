// `qvid` alone: its window, driven by a robot's mouse and keys from a link into a room and out again,
// with other processes as witnesses.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/robot.h"
#include "tests/temporary_folder.h"
#include "ui/call/call_buttons.h"

namespace e2e {
namespace {

using nlohmann::json;

class Start : public testing::Test {
 protected:
  void SetUp() override {
    display_ = open_display("1280x800");
    if (!display_) GTEST_SKIP() << "there is no Xvfb here";
  }
  std::vector<std::string> environment() const {
    std::vector<std::string> all = on(*display_);
    all.push_back("XDG_CONFIG_HOME=" + folder_.path().string());
    return all;
  }
  std::string settings() const {
    std::ifstream in(folder_ / "qvid/settings.toml");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  qvid::TemporaryFolder folder_;
  std::unique_ptr<Display> display_;
};

// A button of the call's window: the mouse comes, and the buttons with it.
void press(Process& of, Robot& robot, qvid::ui::KeyAction action, bool sharing) {
  const auto [width, height] = robot.size();
  for (const auto& button :
       qvid::ui::lay_out_toolbar(qvid::ui::call_actions(sharing), {width, height}, 0)) {
    if (button.action != action) continue;
    // Who presses where they are not seen has brought them, and nothing else.
    const auto seen = [&] {
      const auto [red, green, blue] =
          robot.color_above_edge(height - 1 - button.place.y - button.place.height / 2,
                                 static_cast<double>(button.place.x + 4) / (width - 1));
      return std::max(std::abs(red - 78), std::abs(blue - 100)) < 8;  // pointed at
    };
    for (int i = 0; i < 100 && !seen(); ++i) {
      robot.point_above_edge(height - 1 - button.place.y - button.place.height / 2 - i % 2,
                             static_cast<double>(button.place.x + 10) / width);
      of.wait_for_log("never said", Milliseconds(50));
    }
    robot.click(button.place.x + button.place.width / 2, button.place.y + button.place.height / 2);
  }
}

TEST_F(Start, FromALinkIntoTheRoomAndBack) {
  Process broker({program(), "broker", "--listen", "127.0.0.1:0"});
  const auto line = broker.wait_for_log("join with: qvid call qvid://");
  ASSERT_TRUE(line) << broker.log();
  const std::string link = line->substr(line->find("qvid://"));
  const std::string address = link.substr(7, link.find('/', 7) - 7);
  const auto watch = [&](const std::string& name) -> std::vector<std::string> {
    return {program(), "--json", "watch", link, "--headless", "--name", name};
  };
  Process door(watch("door"));
  ASSERT_TRUE(logs(door, "joined")) << door.log();

  Process qvid({program()}, environment());
  Robot robot(display_->name());
  ASSERT_TRUE(robot.focus("Qvid")) << qvid.log();
  robot.click(400, 57);  // the field
  robot.type(link);
  robot.key("Return");
  const std::string room = link.substr(address.size() + 8, link.find('#') - address.size() - 8);
  ASSERT_TRUE(robot.focus("Join " + room + " at " + address + " - Qvid")) << qvid.log();
  robot.key("Tab", 2);  // from the button over "Back" to the first field, its text selected
  robot.type("Robot");
  robot.key("shift+Tab", 4);  // "Join muted"
  robot.key("space");
  robot.key("Tab", 2);
  robot.key("Return");

  EXPECT_TRUE(door.wait_for_log("Robot joined")) << door.log() << qvid.log();
  Process witness(watch("witness"));
  EXPECT_TRUE(logs(witness, "joined")) << witness.log();
  EXPECT_TRUE(door.wait_for_log("witness joined")) << door.log();
  ASSERT_TRUE(robot.focus("Qvid - " + room)) << qvid.log();
  robot.key("d");
  // The desktop is offered first. A key that comes before it is offered does nothing.
  bool shares = false;
  for (int i = 0; i < 50 && !shares; ++i) {
    robot.key("Return");
    shares = door.wait_for_log("Robot shares something", Milliseconds(200)).has_value();
  }
  EXPECT_TRUE(shares) << door.log() << qvid.log();
  EXPECT_TRUE(logs(witness, "first picture of share 0: 'Robot'")) << witness.log();
  EXPECT_TRUE(logs(witness, "first picture of seat 0: 'Robot'")) << "the camera stays";
  witness.signal(SIGINT);
  EXPECT_EQ(witness.wait(), 0) << witness.log();
  const json seen = json::parse(witness.out());
  EXPECT_EQ(seen["muted"], json({"Robot"})) << witness.out();
  EXPECT_EQ(seen["publishes"].value("Robot", json()), json({"picture", "share", "sound"}))
      << witness.out();

  // Unmuted by mouse; what is written arrives behind that.
  Process listener(watch("listener"));
  EXPECT_TRUE(logs(listener, "joined")) << listener.log();
  EXPECT_TRUE(door.wait_for_log("listener joined")) << door.log();
  Process reader({program(), "watch", link, "--headless", "--name", "reader"});
  EXPECT_TRUE(logs(reader, "joined")) << reader.log();
  ASSERT_TRUE(robot.focus("Qvid - " + room)) << qvid.log();
  press(qvid, robot, qvid::ui::KeyAction::kMute, true);
  robot.key("t");
  robot.type("hello there");
  robot.key("Return");
  robot.key("Escape");
  EXPECT_TRUE(logs(reader, "chat: Robot: hello there")) << reader.log() << qvid.log();
  listener.signal(SIGINT);
  EXPECT_EQ(listener.wait(), 0) << listener.log();
  const std::string told = listener.out();
  EXPECT_EQ(json::parse(told.substr(told.rfind("\n{\n") + 1))["muted"], json::array()) << told;

  robot.key("q");
  EXPECT_TRUE(door.wait_for_log("Robot left")) << door.log();
  ASSERT_TRUE(robot.focus("Qvid")) << qvid.log();
  EXPECT_NE(settings().find("name = \"Robot\""), std::string::npos) << settings();
  EXPECT_NE(settings().find("join_muted = true"), std::string::npos) << settings();
  EXPECT_NE(settings().find(link), std::string::npos) << settings();
  robot.close();
  EXPECT_EQ(qvid.wait(), 0) << qvid.log();
}

TEST_F(Start, ALinkOfTheDesktopIsNotJoinedUnasked) {
  Process qvid({program(), "qvid://127.0.0.1:1/den"}, environment());
  Robot robot(display_->name());
  ASSERT_TRUE(robot.focus("Join den at 127.0.0.1:1 - Qvid")) << qvid.log();
  robot.key("Escape");
  ASSERT_TRUE(robot.focus("Qvid")) << qvid.log();
  robot.close();
  EXPECT_EQ(qvid.wait(), 0) << qvid.log();
  EXPECT_EQ(qvid.log().find("connecting"), std::string::npos) << qvid.log();
}

TEST_F(Start, WhatWentWrongIsSaidInTheWindow) {
  ServerProcess server({"test"});  // of videos, and no broker
  Process qvid({program(), "qvid://" + server.address() + "/den"}, environment());
  Robot robot(display_->name());
  ASSERT_TRUE(robot.focus("Join den at " + server.address() + " - Qvid")) << qvid.log();
  robot.key("Return");
  ASSERT_TRUE(qvid.wait_for_log("this is a server of videos")) << qvid.log();
  ASSERT_TRUE(robot.focus("Qvid")) << qvid.log();  // back, with the message
  robot.close();
  EXPECT_EQ(qvid.wait(), 0) << qvid.log();
}

TEST(StartWithoutADisplay, IsTheHelpAsBefore) {
  const std::vector<std::string> nowhere{"DISPLAY=", "WAYLAND_DISPLAY="};
  Process alone({program()}, nowhere);
  EXPECT_EQ(alone.wait(), 2);
  EXPECT_NE(alone.log().find("`qvid --help`"), std::string::npos) << alone.log();
  Process link({program(), "qvid://127.0.0.1:1/den"}, nowhere);
  EXPECT_EQ(link.wait(), 1);
  EXPECT_NE(link.log().find("no window can be opened"), std::string::npos) << link.log();
}

}  // namespace
}  // namespace e2e
