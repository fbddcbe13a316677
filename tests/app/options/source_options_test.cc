// Shows that a file which cannot be a source is refused before anything begins, with a way out, and
// that what may come later is not.
#include "app/options/source_options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/kept_environment.h"
#include "tests/temporary_folder.h"

namespace qvid::app {
namespace {

class SourceOptionsTest : public ::testing::Test {
 protected:
  // What is said of it; empty: it is taken.
  static std::string trouble(const std::string& source) {
    const auto options = live_options(source, {});
    return options ? std::string() : options.error().message;
  }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  const TemporaryFolder folder_;
};

TEST_F(SourceOptionsTest, AFileIsOpenedAtOnce) {
  const std::string picture(std::size_t{64} * 48 * 3 / 2, '\x80');
  EXPECT_EQ(
      trouble(file("clip.y4m", "YUV4MPEG2 W64 H48 F10:1 Ip A1:1 C420jpeg\nFRAME\n" + picture)), "");
  const std::pair<std::string, std::string> bad[] = {
      {(folder_ / "missing.mp4").string(), "there is no file"},
      {file("README.md", "# Words\n\nNothing but words.\n"), "is not a video that can be read"},
      {file("notes.txt", "just words"), "is not a video that can be read"},
      {file("empty.mp4", ""), "is empty"},
      {folder_.path().string(), "is a folder"}};
  for (const auto& [source, why] : bad) {
    const std::string said = trouble(source);
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_NE(said.find(source), std::string::npos) << said;
  }
}

TEST_F(SourceOptionsTest, SoundAloneIsNoVideo) {
  // A WAV of one second of silence: 8000 samples of 8 bits.
  std::string wav(
      "RIFF\x64\x1f\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data"
      "\x40\x1f\0\0",
      44);
  const std::string said = trouble(file("sound.wav", wav + std::string(8000, '\x80')));
  EXPECT_NE(said.find("there is no video in"), std::string::npos) << said;
  EXPECT_NE(said.find("sound.wav"), std::string::npos) << said;
}

TEST_F(SourceOptionsTest, AScreenThatNothingNamesIsRefused) {
  // On Wayland the desktop would be asked.
  const KeptEnvironment none{"DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"};
  EXPECT_NE(trouble("screen").find("DISPLAY is not set"), std::string::npos);
  setenv("DISPLAY", ":63", 1);
  EXPECT_EQ(trouble("screen"), "") << "it may begin later";
}

TEST_F(SourceOptionsTest, WhatMayComeLaterIsTaken) {
  EXPECT_EQ(trouble("camera:/dev/video63"), "");
  EXPECT_EQ(trouble("screen::63"), "");
  EXPECT_EQ(trouble("rtsp://127.0.0.1:1/camera"), "");
}

}  // namespace
}  // namespace qvid::app
