// `qvid play` in a window: what it takes from the settings and leaves there, what it tells.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/display.h"
#include "tests/e2e/process.h"
#include "tests/e2e/robot.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

TEST(PlaySettings, AVideoIsAsLoudAsItWasLeft) {
  const auto display = open_display();
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  const qvid::TemporaryFolder folder;
  const std::filesystem::path file = folder / "qvid/settings.toml";
  ServerProcess server({"test", "--size", "320x240"});
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "volumes = ['0.5 " << server.url() << "']\n";
  std::vector<std::string> environment = on(*display);
  environment.push_back("XDG_CONFIG_HOME=" + folder.path().string());
  Process play({program(), "play", server.url(), "--speaker", "none"}, environment);
  ASSERT_TRUE(play.wait_for_log("first picture")) << play.log();
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - " + server.url())) << play.log();
  robot.key("0");  // louder
  robot.key("q");
  EXPECT_EQ(play.wait(), 0) << play.log();
  std::ifstream in(file);
  const std::string left{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(left.find("\"0.625 " + server.url() + "\""), std::string::npos) << left;
}

}  // namespace
}  // namespace e2e
