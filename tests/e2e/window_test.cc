// The window under a real X server, and a screen as a source: one Xvfb shows what the other
// captures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/clip.h"
#include "tests/e2e/display.h"
#include "tests/e2e/process.h"
#include "tests/e2e/robot.h"
#include "tests/temporary_folder.h"

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

TEST(Window, ShowsAPictureOfThePlaceUnderTheMouse) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  const qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m", 600);  // 40 s
  ServerProcess server({"test", "--files", folder.path().string()});
  Process play({program(), "-v", "play", server.url("clip.y4m")}, on(*display));
  ASSERT_TRUE(play.wait_for_log("first picture")) << play.log();
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - " + server.url("clip.y4m"))) << play.log();
  // The bar comes with the first motion. It is the window's lowest part, whatever its size.
  std::optional<std::string> line;
  for (int i = 0; i < 100 && !line; ++i) {
    robot.point_above_edge(10 + i % 10, 0.5);
    line = play.wait_for_log("preview of ", Milliseconds(100));
  }
  ASSERT_TRUE(line) << play.log() << server.process().log();
  EXPECT_NE(line->find(" s: 64x48"), std::string::npos) << *line;
  robot.key("q");
  EXPECT_EQ(play.wait(), 0) << play.log();
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

// What is served of that display, as a player sees it; empty: nothing.
std::string seen_of(const std::string& source) {
  ServerProcess server({source, "--rate", "10"}, "127.0.0.1:0", {"DISPLAY="});
  Process play({program(), "play", server.url(), "--headless", "--json"});
  const auto what = play.wait_for_log("source: screen");
  if (!play.wait_for_log("first picture")) ADD_FAILURE() << play.log() << server.process().log();
  return what.value_or("");
}

TEST(Screen, APartOfItIsServed) {
  const auto display = open_display("640x480");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  const std::string part = "screen:" + display->name() + "@160x120+10+20";
  EXPECT_NE(seen_of(part).find(", 160x120"), std::string::npos);
  ServerProcess wrong({"screen:" + display->name() + "@window=1"}, "127.0.0.1:0");
  EXPECT_NE(wrong.process().log().find("there is no window to be seen with the number 0x1"),
            std::string::npos)
      << wrong.process().log();
}

TEST(Screen, OneWindowIsServed) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  ServerProcess film({"test", "--size", "320x240", "--insecure"});
  Process window({program(), "play", film.url(), "--insecure"}, on(*display));
  ASSERT_TRUE(window.wait_for_log("first picture")) << window.log();
  ASSERT_TRUE(Robot(display->name()).focus("Qvid - " + film.url())) << window.log();
  // As a person finds it.
  Process sources({program(), "--json", "sources"}, on(*display));
  ASSERT_EQ(sources.wait(), 0) << sources.log();
  std::string one;
  for (const json& source : json::parse(sources.out())) {
    const std::string window = "the window 'Qvid - " + film.url() + "'";
    if (source.value("description", "") == window) one = source["source"];
  }
  ASSERT_FALSE(one.empty()) << sources.out();
  const std::string seen = seen_of(one);
  EXPECT_NE(seen.find(" at window=0x"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("1280x800"), std::string::npos) << seen;
}

}  // namespace
}  // namespace e2e
