// What real programs take from the file of settings, and what they leave there.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/broker_process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

class SettingsOfPrograms : public testing::Test {
 protected:
  SettingsOfPrograms() { std::filesystem::create_directories(file_.parent_path()); }
  void write(const std::string& text) const { std::ofstream(file_) << text; }
  std::string contents() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // A call in a window that nobody sees.
  std::vector<std::string> environment() const {
    return {"XDG_CONFIG_HOME=" + folder_.path().string(), "SDL_VIDEODRIVER=dummy",
            "LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS};
  }
  std::vector<std::string> call(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{
        program(), "call",   broker_.url(), "--insecure",   "--rate", "5",         "--source",
        "test",    "--size", "160x120",     "--microphone", "none",   "--speaker", "none"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  static void expect_joined_and_end(Process& call) {
    EXPECT_TRUE(call.wait_for_log("joined the room")) << call.log();
    call.signal(SIGINT);
    EXPECT_EQ(call.wait(), 0) << call.log();
  }

  qvid::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "qvid/settings.toml";
  BrokerProcess broker_;
};

TEST_F(SettingsOfPrograms, ACallGoesByThemAndRemembersItsRoom) {
  write("# mine\nname = 'Łukasz'\nlayout = 'speaker'\nwindow_width = 640\nwindow_height = 400\n");
  Process watch({program(), "watch", broker_.url(), "--insecure", "--headless", "--name", "eye"});
  ASSERT_TRUE(watch.wait_for_log("eye")) << watch.log();
  Process ann(call(), environment());
  EXPECT_TRUE(watch.wait_for_log("Łukasz joined")) << watch.log();
  expect_joined_and_end(ann);
  EXPECT_EQ(contents(),
            "# mine\nname = 'Łukasz'\nlayout = 'speaker'\nwindow_width = 640\nwindow_height = 400\n"
            "recent = [\n  \"" +
                broker_.url() + "\",\n]\n");
  // The command line goes before them.
  Process bob(call({"--name", "Bob"}), environment());
  EXPECT_TRUE(watch.wait_for_log("Bob joined")) << watch.log();
  expect_joined_and_end(bob);
}

TEST_F(SettingsOfPrograms, ABrokenFileIsSetAsideAndTheCallGoesOn) {
  write("name = 'An");
  Process ann(call({"--name", "Ann"}), environment());
  expect_joined_and_end(ann);
  EXPECT_NE(ann.log().find("settings.toml:1: "), std::string::npos) << ann.log();
  EXPECT_NE(ann.log().find("it is set aside as"), std::string::npos) << ann.log();
  EXPECT_TRUE(std::filesystem::exists(file_.string() + ".broken"));
  EXPECT_NE(contents().find("recent = ["), std::string::npos) << contents();
}

TEST_F(SettingsOfPrograms, WithoutAWindowNothingIsWritten) {
  Process ann(call({"--headless"}), environment());
  expect_joined_and_end(ann);
  EXPECT_EQ(contents(), "");
}

}  // namespace
}  // namespace e2e
