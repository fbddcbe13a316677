// `qvid play` in a window: what it takes from the settings and leaves there, what it tells.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/display.h"
#include "tests/e2e/process.h"
#include "tests/e2e/pulse_server.h"
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

// Across the window's lower edge is what is wrong.
bool tells_trouble(Robot& robot) {
  for (const double part : {0.02, 0.5, 0.98}) {
    const Robot::Color there = robot.color_above_edge(3, part);
    const bool brown = there.red > 110 && there.red < 165 && there.green > 50 &&
                       there.green < 105 && there.blue < 50;
    if (!brown) return false;
  }
  return true;
}

TEST(PlaySettings, ALoudspeakerThatIsLostIsToldInTheWindow) {
  const auto display = open_display();
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  if (!PulseServer::available()) GTEST_SKIP() << "pulseaudio and pactl are not installed";
  PulseServer pulse;
  ASSERT_TRUE(pulse.ok()) << pulse.log();
  pulse.add_sink("First");
  const std::string module = pulse.add_sink("Second");
  ServerProcess server({"test", "--size", "320x240"});
  std::vector<std::string> environment = pulse.environment();  // which names no display
  for (const std::string& more : on(*display)) environment.push_back(more);
  Process play({program(), "play", server.url(), "--speaker", "Second"}, environment);
  ASSERT_TRUE(play.wait_for_log("loudspeaker 'Second' is used")) << play.log();
  ASSERT_TRUE(play.wait_for_log("first picture")) << play.log();
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - " + server.url())) << play.log();
  const auto waits_for = [&](bool trouble) {
    for (int i = 0; i < 200 && tells_trouble(robot) != trouble; ++i) {
      play.wait_for_log("(nothing)", Milliseconds(50));
    }
    return tells_trouble(robot) == trouble;
  };
  EXPECT_TRUE(waits_for(false));
  pulse.remove(module);
  ASSERT_TRUE(play.wait_for_log("loudspeaker 'Second' is lost")) << play.log();
  EXPECT_TRUE(waits_for(true));
  EXPECT_TRUE(waits_for(false)) << "for a while";
  robot.key("q");
  EXPECT_EQ(play.wait(), 0) << play.log();
}

}  // namespace
}  // namespace e2e
