// The window under a real X server, and a screen as a source: one Xvfb shows what the other
// captures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/display.h"
#include "tests/e2e/process.h"

namespace e2e {
namespace {

using nlohmann::json;

TEST(Window, ShowsLiveVideo) {
  const auto display = open_display();
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  ServerProcess server({"test", "--size", "320x240"});
  Process play({program(), "play", server.url(), "--overlay", "--pictures", "20", "--json"},
               on(*display));
  EXPECT_EQ(play.wait(), 0) << play.log();
  EXPECT_GT(json::parse(play.out())["frames_shown"], 10);
}

TEST(Window, SaysWhenThereIsNoDisplay) {
  Process play({program(), "play", "qvid://127.0.0.1:1/live"},
               {"DISPLAY=", "WAYLAND_DISPLAY=", "SDL_VIDEODRIVER=x11"});
  EXPECT_EQ(play.wait(), 1);
  EXPECT_NE(play.log().find("--headless"), std::string::npos) << play.log();
}

TEST(Screen, IsServedAndMayGoAway) {
  auto display = open_display();
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  ServerProcess server({"screen:" + display->name(), "--rate", "15"}, "127.0.0.1:0", {"DISPLAY="});
  Process play({program(), "play", server.url(), "--headless", "--json"});
  EXPECT_TRUE(play.wait_for_log("source: screen")) << play.log();
  ASSERT_TRUE(play.wait_for_log("first picture")) << play.log();
  display->kill();
  EXPECT_TRUE(server.process().wait_for_log("is lost")) << server.process().log();
  // The server goes on, tries again, and ends in order.
  EXPECT_TRUE(play.wait_for_log("is lost")) << play.log();
  play.signal(SIGINT);
  EXPECT_EQ(play.wait(), 0) << play.log();
  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().wait(), 0) << server.process().log();
}

}  // namespace
}  // namespace e2e
