// What a program takes from the file of settings, before anything of it begins.
#include "app/command/remembered.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

class RememberedTest : public testing::Test {
 protected:
  RememberedTest() {
    std::filesystem::create_directories(file_.parent_path());
    if (const char* was = std::getenv("XDG_CONFIG_HOME")) before_ = was;
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
  }
  ~RememberedTest() override {
    if (before_.empty()) {
      unsetenv("XDG_CONFIG_HOME");
    } else {
      setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
    }
  }
  void write(const std::string& text) const { std::ofstream(file_) << text; }
  std::string contents() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Remembered take(bool in_window) {
    return Remembered(
        {.client = client_, .sound = sound_, .scale = scale_, .in_window = in_window});
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "qvid/settings.toml";
  std::string before_;
  ClientArguments client_;
  SoundArguments sound_;
  float scale_ = 0;
};

constexpr const char* kSome =
    "proxy = 'socks5://p:1080'\nlimit_down = '800k'\nscale = 1.5\nloudspeaker = 'HDMI'\n";

TEST_F(RememberedTest, WhoPlaysAVideoGoesByIt) {
  write(kSome);
  take(true);
  EXPECT_EQ(client_.proxy, "socks5://p:1080");
  EXPECT_EQ(client_.limit_down, "800k");
  EXPECT_EQ(scale_, 1.5f);
  EXPECT_EQ(sound_.preferred_speaker, "HDMI");
}

TEST_F(RememberedTest, WithoutAWindowTheWayThereAlone) {
  write(kSome);
  take(false);
  EXPECT_EQ(client_.proxy, "socks5://p:1080");
  EXPECT_EQ(client_.limit_down, "800k");
  EXPECT_EQ(scale_, 0);
  EXPECT_EQ(sound_.preferred_speaker, "");
}

TEST_F(RememberedTest, TheCommandLineGoesBefore) {
  write(kSome);
  client_.proxy = "direct";
  client_.limit_down = "2m";
  scale_ = 2;
  sound_.speaker = "default";
  take(true);
  EXPECT_EQ(client_.proxy, "direct");
  EXPECT_EQ(client_.limit_down, "2m");
  EXPECT_EQ(scale_, 2);
  EXPECT_EQ(sound_.preferred_speaker, "");
}

TEST_F(RememberedTest, AVideoHasItsVolume) {
  const std::string film = "qvid://host/film.mkv";
  take(true).keep_volume(film, 1);
  EXPECT_FALSE(std::filesystem::exists(file_)) << "as it was";
  write("volumes = ['2 Ann']\n");
  take(true).keep_volume(film, 0.5f);
  EXPECT_EQ(take(true).volume_of(film), 0.5f);
  EXPECT_EQ(take(true).volume_of("Ann"), 2);
  EXPECT_EQ(take(true).volume_of("qvid://host/other.mkv"), 1);
  take(true).keep_volume("qvid://host/" + std::string(100, 'x'), 0.5f);
  EXPECT_TRUE(take(true).troubles().empty()) << contents();
  take(true).keep_volume(film, 1);
  EXPECT_EQ(contents().find("film"), std::string::npos) << contents();
  EXPECT_EQ(take(true).volume_of("Ann"), 2);
}

}  // namespace
}  // namespace qvid::app
