// A server and a player, two real processes: live video end to end, and everything that goes wrong.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/clip.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::string> player(const std::string& url, const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{program(), "play", url, "--headless", "--json"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(Play, LiveVideoArrivesWhole) {
  ServerProcess server({"test", "--size", "320x240"});
  ASSERT_FALSE(server.address().empty()) << server.process().log();
  Process play(player(server.url(), {"--pictures", "60", "--playout", "fixed"}));
  ASSERT_EQ(play.wait(), 0) << play.log();
  const json report = json::parse(play.out());
  EXPECT_GT(report["frames_shown"], 30);
  EXPECT_EQ(report["decode_errors"], 0);
  EXPECT_EQ(report["bad_messages"], 0);
  EXPECT_EQ(report["reconnections"], 0);
  // 1 + 3 + 2 frames and the path: never less.
  EXPECT_GE(report["delay_ms"]["median"].get<double>(), 199);

  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().wait(), 0) << server.process().log();
  EXPECT_NE(server.process().out().find("served 1 connections"), std::string::npos);
}

TEST(Play, Av1ArrivesWhole) {
  ServerProcess server({"test", "--size", "320x240", "--codec", "av1"});
  Process play(player(server.url(), {"--pictures", "60"}));
  ASSERT_EQ(play.wait(), 0) << play.log();
  EXPECT_NE(play.log().find(": av1, 30 frames/s"), std::string::npos) << play.log();
  const json report = json::parse(play.out());
  EXPECT_GT(report["frames_shown"], 30);
  EXPECT_EQ(report["decode_errors"], 0);
}

// A file is coded in two layers; live video in one where one viewer watches, at a lower rate then.
TEST(Play, WhoWantsTheBaseAloneIsSentLess) {
  const qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m");
  // Of a rate that the finest quantiser does not leave unused.
  ServerProcess server(
      {"test", "--size", "320x240", "--bitrate", "400k", "--files", folder.path().string()});
  const auto report_of = [&](const char* name, const std::vector<std::string>& layers) {
    std::vector<std::string> more{"--pictures", std::string(name) == "live" ? "90" : "25"};
    more.insert(more.end(), layers.begin(), layers.end());
    Process play(player(server.url(name), more));
    EXPECT_EQ(play.wait(), 0) << play.log();
    const json report = json::parse(play.out());
    EXPECT_GT(report["frames_shown"], 15);
    EXPECT_EQ(report["decode_errors"], 0);
    return report;
  };
  EXPECT_GT(report_of("clip.y4m", {})["frames_full"], 5);
  EXPECT_EQ(report_of("clip.y4m", {"--layers", "1"})["frames_full"], 0);
  const auto rate_of = [&](const json& report) {
    return report["bytes"].get<double>() / report["frames_shown"].get<double>();
  };
  EXPECT_LT(rate_of(report_of("live", {"--layers", "1"})), 0.7 * rate_of(report_of("live", {})));
  Process wrong(player(server.url(), {"--layers", "0"}));
  EXPECT_EQ(wrong.wait(), 2);
}

TEST(Play, TwoViewersShareOneEncoder) {
  ServerProcess server({"test", "--size", "160x120", "--json"});
  Process one(player(server.url(), {"--pictures", "100"}));
  Process two(player(server.url(), {"--pictures", "30"}));
  EXPECT_EQ(two.wait(), 0) << two.log();
  EXPECT_EQ(one.wait(), 0) << one.log();
  server.process().signal(SIGTERM);
  ASSERT_EQ(server.process().wait(), 0);
  const json stats = json::parse(server.process().out());
  EXPECT_LT(stats["encoder"]["frames"], stats["viewers"]["frames"]);
}

TEST(Play, RecoversWhenTheServerReturns) {
  auto server = std::make_unique<ServerProcess>(std::vector<std::string>{"test", "-s", "160x120"});
  const std::string address = server->address();
  Process play(player(server->url()));
  ASSERT_TRUE(play.wait_for_log("first picture"));
  server->process().signal(SIGKILL);
  EXPECT_TRUE(play.wait_for_log("trying to resume")) << play.log();
  server =
      std::make_unique<ServerProcess>(std::vector<std::string>{"test", "-s", "160x120"}, address);
  EXPECT_EQ(server->address(), address);
  // The new server does not know the session, so a new one begins.
  EXPECT_TRUE(play.wait_for_log("connection lost")) << play.log();
  EXPECT_TRUE(play.wait_for_log("first picture")) << play.log();
  play.signal(SIGINT);
  ASSERT_EQ(play.wait(), 0) << play.log();
  const json report = json::parse(play.out());
  EXPECT_EQ(report["reconnections"], 1);
  EXPECT_GT(report["frames_shown"], 0);
}

TEST(Play, SaysWhenNobodyListens) {
  Process play(player("qvid://127.0.0.1:1/live", {"--no-retry"}));
  EXPECT_EQ(play.wait(), 3);
  EXPECT_NE(play.log().find("cannot connect to 127.0.0.1:1"), std::string::npos) << play.log();
}

TEST(Play, EndsWhenItsTimersExpireTogether) {
  // The duration, the first back-off and the tick of the statistics, all after 250 ms.
  for (int i = 0; i < 10; ++i) {
    Process play(player("qvid://127.0.0.1:1/live", {"--duration", "0.25"}));
    ASSERT_EQ(play.wait(), 1) << play.log();
  }
}

TEST(Serve, OutlivesViewersThatComeAndGo) {
  ServerProcess server({"test", "--size", "64x48", "--rate", "120"});
  for (int round = 0; round < 5; ++round) {
    std::vector<std::unique_ptr<Process>> viewers;
    for (int i = 0; i < 8; ++i) {
      viewers.push_back(std::make_unique<Process>(player(server.url())));
    }
    for (const auto& viewer : viewers) ASSERT_TRUE(viewer->wait_for_log("playing"));
    for (const auto& viewer : viewers) viewer->signal(SIGKILL);
  }
  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().wait(), 0) << server.process().log();
}

TEST(Play, FilesAreServedFromTheirFolderOnly) {
  qvid::TemporaryFolder folder;
  fs::create_directory(folder / "served");
  write_clip(folder / "served/clip.y4m");
  write_clip(folder / "secret.y4m");
  fs::create_symlink(folder / "secret.y4m", folder / "served/link.y4m");
  std::ofstream(folder / "served/text.txt") << "not a video\n";
  ServerProcess server({"test", "--rate", "15", "--files", (folder / "served").string()});

  Process clip(player(server.url("clip.y4m")));
  ASSERT_EQ(clip.wait(), 0) << clip.log();
  EXPECT_GT(json::parse(clip.out())["frames_shown"], 15);

  for (const std::string name :
       {"../secret.y4m", "%2e%2e/secret.y4m", "link.y4m", "nothing.y4m", "", "/etc/passwd"}) {
    if (name.empty()) continue;
    Process refused(player(server.url(name)));
    EXPECT_EQ(refused.wait(), 4) << name << refused.log();
    EXPECT_NE(refused.log().find("there is no file"), std::string::npos) << refused.log();
  }
  Process text(player(server.url("text.txt")));
  EXPECT_EQ(text.wait(), 4) << text.log();
  EXPECT_NE(text.log().find("not a video"), std::string::npos) << text.log();
  // And the server goes on.
  Process again(player(server.url("clip.y4m"), {"--pictures", "1"}));
  EXPECT_EQ(again.wait(), 0) << again.log();
}

TEST(Play, AFileIsPlayedWholeAndOnce) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m");
  ServerProcess server({"test", "--files", folder.path().string(), "--json"});
  Process play(player(server.url("clip.y4m")));
  ASSERT_EQ(play.wait(), 0) << play.log();
  const json report = json::parse(play.out());
  EXPECT_EQ(report["frames_shown"].get<int>() + report["frames_lost"].get<int>(), 30);
  EXPECT_EQ(report["stored"]["duration_ms"], 2000.0);
  EXPECT_GE(report["stored"]["played_ms"], 1900.0);
  EXPECT_EQ(report["decode_errors"], 0);
  EXPECT_EQ(report["bad_messages"], 0);
  EXPECT_NE(play.log().find("the video is at its end"), std::string::npos) << play.log();
  server.process().signal(SIGINT);
  ASSERT_EQ(server.process().wait(), 0) << server.process().log();
  EXPECT_EQ(json::parse(server.process().out())["viewers"]["frames"], 30);
}

TEST(Play, AFileIsPlayedAtTheSpeedThatIsAskedFor) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m", 60);  // four seconds
  ServerProcess server({"test", "--files", folder.path().string()});
  Process play(player(server.url("clip.y4m"), {"--speed", "2"}));
  ASSERT_EQ(play.wait(), 0) << play.log();
  const json report = json::parse(play.out());
  EXPECT_EQ(report["frames_shown"].get<int>() + report["frames_lost"].get<int>(), 60);
  EXPECT_EQ(report["stored"]["speed"], 2.0);
  EXPECT_LT(report["seconds"], 3);
  EXPECT_EQ(report["decode_errors"], 0);
  Process wrong(player(server.url("clip.y4m"), {"--speed", "9"}));
  EXPECT_EQ(wrong.wait(), 2) << wrong.log();
}

TEST(Play, AFileBeginsWhereItIsTold) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "clip.y4m", 90);
  ServerProcess server({"test", "--files", folder.path().string()});
  Process middle(player(server.url("clip.y4m"), {"--start", "0:04"}));
  ASSERT_EQ(middle.wait(), 0) << middle.log();
  const json report = json::parse(middle.out());
  EXPECT_EQ(report["frames_shown"].get<int>() + report["frames_lost"].get<int>(), 30);
  EXPECT_EQ(report["decode_errors"], 0);
  // Beyond its end there is its last picture.
  Process beyond(player(server.url("clip.y4m"), {"--start", "1:00:00"}));
  ASSERT_EQ(beyond.wait(), 0) << beyond.log();
  EXPECT_GT(json::parse(beyond.out())["frames_shown"], 0);
}

TEST(Play, GoesAndPausesAsItIsTold) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "a.y4m", 90);  // six seconds
  ServerProcess server({folder.path().string()});
  Process play(player(server.url("a.y4m"), {"--seek", "1=5", "--pause", "1.2=1"}));
  ASSERT_EQ(play.wait(), 0) << play.log();
  const json stored = json::parse(play.out())["stored"];
  EXPECT_EQ(stored["seek_ms"].size(), 1u);
  EXPECT_GT(stored["paused_ms"], 500);
  EXPECT_LT(stored["played_ms"], 4000);
  Process wrong(player(server.url("a.y4m"), {"--seek", "nonsense"}));
  EXPECT_EQ(wrong.wait(), 2);
  EXPECT_NE(wrong.log().find("is not AT=PLACE"), std::string::npos) << wrong.log();
}

TEST(Serve, AFolderIsListedAndItsVideosPlayed) {
  qvid::TemporaryFolder folder;
  write_clip(folder / "a.y4m", 60);
  write_clip(folder / "b.y4m");
  ServerProcess server({folder.path().string()});
  ASSERT_FALSE(server.address().empty());
  Process list({program(), "list", server.url(""), "--json"});
  ASSERT_EQ(list.wait(), 0) << list.log();
  const json files = json::parse(list.out())["files"];
  ASSERT_EQ(files.size(), 2u) << files;
  EXPECT_EQ(files[0]["name"], "a.y4m");
  EXPECT_GT(files[0]["width"], 0);
  EXPECT_EQ(files[1]["prepared"], false);
  Process live(player(server.url("live"), {}));
  EXPECT_EQ(live.wait(), 4);
  EXPECT_NE(live.log().find("qvid list"), std::string::npos) << live.log();
  Process one(player(server.url("b.y4m"), {}));
  EXPECT_EQ(one.wait(), 0) << one.log();
}

TEST(Serve, GoesOnWithoutItsDevice) {
  ServerProcess server({"camera:/dev/no-such-camera"});
  Process play(player(server.url()));
  EXPECT_TRUE(play.wait_for_log("no camera at")) << play.log();
  EXPECT_TRUE(server.process().wait_for_log("there is no camera at /dev/no-such-camera"))
      << server.process().log();
  play.signal(SIGINT);
  EXPECT_EQ(play.wait(), 1);  // nothing was shown
  server.process().signal(SIGINT);
  EXPECT_EQ(server.process().wait(), 0) << server.process().log();
}

TEST(Serve, SaysWhenThePortIsTaken) {
  ServerProcess first({"test"});
  Process second({program(), "serve", "test", "--listen", first.address()});
  EXPECT_EQ(second.wait(), 1);
  EXPECT_NE(second.log().find("choose another port"), std::string::npos) << second.log();
}

}  // namespace
}  // namespace e2e
