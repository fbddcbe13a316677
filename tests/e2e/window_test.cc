// The window under a real X server, and a screen as a source: one Xvfb shows what the other
// captures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/e2e/process.h"

namespace e2e {
namespace {

using nlohmann::json;

// An X server of the test's own, on a display number that it chooses itself.
class Display {
 public:
  Display() : xvfb_({"Xvfb", "-displayfd", "2", "-screen", "0", "640x480x24", "-nolisten", "tcp"}) {
    // -displayfd writes the number alone on a line.
    for (int line = 0; line < 20; ++line) {
      const auto text = xvfb_.wait_for_log("");
      if (!text) return;
      if (!text->empty() && text->find_first_not_of("0123456789") == std::string::npos) {
        name_ = ":" + *text;
        return;
      }
    }
  }
  const std::string& name() const { return name_; }
  void kill() {
    xvfb_.signal(SIGKILL);
    xvfb_.wait();
  }

 private:
  Process xvfb_;
  std::string name_;
};

std::unique_ptr<Display> open_display() {
  try {
    auto display = std::make_unique<Display>();
    return display->name().empty() ? nullptr : std::move(display);
  } catch (const std::exception&) {
    return nullptr;
  }
}

std::vector<std::string> on(const Display& display) {
  // OpenGL drivers are loaded and unloaded again, and what they leak has no name by then.
  return {"DISPLAY=" + display.name(),
          "SDL_VIDEODRIVER=x11",
          "SDL_RENDER_DRIVER=software",
          "SDL_FRAMEBUFFER_ACCELERATION=0",
          "WAYLAND_DISPLAY=",
          "LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS};
}

TEST(Window, ShowsLiveVideo) {
  const auto display = open_display();
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  ServerProcess server({"test", "--size", "320x240"});
  Process play({program(), "play", server.url(), "--overlay", "--duration", "4", "--json"},
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
