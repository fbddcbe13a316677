// What the desktop tells who looks at another window: a script in the place of notify-send writes down
// what it was given.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/temporary_pipe.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

namespace fs = std::filesystem;

struct Away : testing::Test {
  void SetUp() override {
    display = open_display();
    if (!display) GTEST_SKIP() << "there is no Xvfb here";
    const fs::path script = folder / "notify-send";
    std::ofstream(told_file()).flush();
    std::ofstream(script) << "#!/bin/sh\necho \"$@\" >> '" << told_file().string() << "'\n";
    fs::permissions(script, fs::perms::owner_all);
    fs::create_directories(folder / "qvid");
  }
  fs::path told_file() const { return folder / "told"; }
  std::string told() const {
    std::ifstream in(told_file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> environment() const {
    std::vector<std::string> all = on(*display);
    all.push_back("XDG_CONFIG_HOME=" + folder.path().string());
    all.push_back("PATH=" + folder.path().string() + ":" + std::getenv("PATH"));
    return all;
  }
  // In a window of its own, which takes the keyboard from the one before: there is no window manager.
  std::vector<std::string> call(const std::string& name) const {
    return {program(),     "call",         broker.url(), "--insecure", "--name", name,
            "--no-camera", "--microphone", "none",       "--speaker",  "none"};
  }

  qvid::TemporaryFolder folder;
  BrokerProcess broker;
  std::unique_ptr<Display> display;
};

TEST_F(Away, IsToldOfTheFirstWhoComesAndWhoWrites) {
  Process desktop({"/bin/sh", "-c", "exec tail -n +1 -F '" + told_file().string() + "' >&2"});
  Process ann(call("Ann"), environment());
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  Process bob(call("Bob"), environment());
  ASSERT_TRUE(ann.wait_for_log("Bob joined")) << ann.log();
  EXPECT_TRUE(desktop.wait_for_log("-- den Bob joined")) << desktop.log() << ann.log();
  // It is no empty room any more; and of a message it is told from whom.
  TemporaryPipe lines;
  Process cid({"/bin/sh", "-c",
               "exec " + program() + " watch " + broker.url() +
                   " --insecure --headless --chat --name Cid < " + lines.path()});
  lines.open();
  ASSERT_TRUE(ann.wait_for_log("Cid joined")) << ann.log();
  bool heard = false;
  for (int i = 0; i < 60 && !heard; ++i) {
    lines.write("a secret\n");
    heard = desktop.wait_for_log("-- den message from Cid", Milliseconds(1000)).has_value();
  }
  EXPECT_TRUE(heard) << desktop.log() << ann.log();
  EXPECT_EQ(desktop.log().find("Cid joined"), std::string::npos) << desktop.log();
  EXPECT_EQ(desktop.log().find("secret"), std::string::npos) << desktop.log();
}

TEST_F(Away, IsLeftAloneWhereTheSettingsSaySo) {
  std::ofstream(folder / "qvid/settings.toml") << "notifications = false\n";
  Process ann(call("Ann"), environment());
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  Process bob(call("Bob"), environment());
  ASSERT_TRUE(ann.wait_for_log("Bob joined")) << ann.log();
  Process cid(watch(broker.url(), "Cid"));
  ASSERT_TRUE(ann.wait_for_log("Cid joined")) << ann.log();
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace e2e
