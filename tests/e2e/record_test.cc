// Members of a room recorded to files; and a call of two without a broker. Real processes.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/robot.h"
#include "tests/temporary_folder.h"

namespace e2e::record_test {
namespace {

using nlohmann::json;
using qvid::TemporaryFolder;

std::vector<std::string> publish(const std::string& url, const std::string& name) {
  return {program(), "publish", "test",   url,  "--insecure", "--name", name,
          "--size",  "160x120", "--rate", "15", "--gop",      "15"};
}

std::vector<std::string> record(const std::string& url, const std::string& file,
                                const std::vector<std::string>& more) {
  std::vector<std::string> command{program(), "--json", "record", url, "-o", file, "--insecure"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(Record, AMemberAndThenEverybody) {
  const TemporaryFolder folder;
  BrokerProcess broker;
  Process ann(publish(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process bob(publish(broker.url(), "Bob/Ben"));
  ASSERT_TRUE(bob.wait_for_log("joined")) << bob.log();

  const std::string file = (folder / "one.mkv").string();
  Process one(record(broker.url(), file, {"-d", "3"}));
  ASSERT_EQ(one.wait(), 0) << one.log();
  EXPECT_NE(one.log().find("name whom you mean"), std::string::npos) << one.log();
  const json report = json::parse(one.out())["recordings"];
  ASSERT_EQ(report.size(), 1u) << one.out();
  EXPECT_EQ(report[0]["name"], "Ann");
  ASSERT_GE(report[0]["files"].size(), 1u) << one.out();
  EXPECT_EQ(report[0]["files"][0]["path"], file);
  EXPECT_GT(report[0]["files"][0]["frames"], 2);
  EXPECT_GT(std::filesystem::file_size(file), 1000u);

  // It is not overwritten, and whom it says is recorded.
  Process again(record(broker.url(), file, {"-d", "1"}));
  EXPECT_EQ(again.wait(), 2);
  EXPECT_NE(again.log().find("--force"), std::string::npos) << again.log();
  // What was recorded is a video that can be published again.
  Process replay(
      {program(), "publish", file, broker.url(), "--insecure", "--name", "replay", "--loop"});
  EXPECT_TRUE(replay.wait_for_log("joined")) << replay.log();
  Process eyes(
      {program(), "watch", broker.url(), "replay", "--insecure", "--name", "eyes", "--headless"});
  EXPECT_TRUE(eyes.wait_for_log("first picture of seat 0")) << eyes.log() << replay.log();
  replay.signal(SIGKILL);

  Process all(record(broker.url(), (folder / "all.mp4").string(), {"--all"}));
  ASSERT_TRUE(logs(all, "recording 'Ann'")) << all.log();
  ASSERT_TRUE(logs(all, "recording 'Bob/Ben'")) << all.log();
  // Ctrl-C: what has come is written, and the files are whole.
  Process third(record(broker.url(), (folder / "bob.mkv").string(), {"Bob/Ben", "-d", "2"}));
  EXPECT_EQ(third.wait(), 0) << third.log();
  all.signal(SIGINT);
  ASSERT_EQ(all.wait(), 0) << all.log();
  EXPECT_TRUE(std::filesystem::exists(folder / "all-Ann.mp4"));
  EXPECT_TRUE(std::filesystem::exists(folder / "all-Bob_Ben.mp4"));
}

// One that is killed, which nobody is told of, and one that waits for that.
TEST(Record, GoesOnByTheRecorderThatWaits) {
  const TemporaryFolder folder;
  BrokerProcess broker;
  Process ann(publish(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process first(record(broker.url(), (folder / "first.mkv").string(), {"Ann", "--name", "first"}));
  ASSERT_TRUE(logs(first, "recording 'Ann'")) << first.log();
  const std::string file = (folder / "second.mkv").string();
  Process second(
      record(broker.url(), file, {"Ann", "--name", "second", "--takes-over", "first", "-d", "1"}));
  ASSERT_TRUE(logs(second, "waits until 'first' is there no more")) << second.log();
  EXPECT_FALSE(std::filesystem::exists(file));
  first.signal(SIGKILL);
  EXPECT_EQ(second.wait(), 0) << second.log();
  EXPECT_NE(second.log().find("'first' is there no more: this one records from now on"),
            std::string::npos)
      << second.log();
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(bytes.find("goes on for first, who left "), std::string::npos);

  Process itself(record(broker.url(), file, {"--name", "third", "--takes-over", "third"}));
  EXPECT_EQ(itself.wait(), 2);
}

// Beside the camera of whom it is, and shown to who watches as well.
TEST(Record, WhatIsSharedIsAFileOfItsOwn) {
  const TemporaryFolder folder;
  BrokerProcess broker;
  Process ann({program(), "call", broker.url(), "--insecure", "--name", "Ann", "--headless",
               "--source", "test", "--share", "test", "--size", "160x120", "--rate", "15", "--gop",
               "15"});
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process eyes({program(), "watch", broker.url(), "Ann", "--insecure", "--name", "eyes",
                "--headless", "--json"});
  ASSERT_TRUE(eyes.wait_for_log("first picture of share 0: 'Ann'")) << eyes.log();
  ASSERT_TRUE(logs(eyes, "first picture of seat 0: 'Ann'")) << eyes.log();
  Process one(record(broker.url(), (folder / "call.mkv").string(), {"Ann", "-d", "2"}));
  ASSERT_EQ(one.wait(), 0) << one.log();
  Process all(record(broker.url(), (folder / "all.mkv").string(), {"--all", "-d", "2"}));
  ASSERT_EQ(all.wait(), 0) << all.log();
  for (const char* file : {"call.mkv", "call-share.mkv", "all-Ann.mkv", "all-Ann (share).mkv"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file << one.log() << all.log();
  }
  const json report = json::parse(one.out())["recordings"];
  ASSERT_EQ(report.size(), 2u) << one.out();
  EXPECT_EQ(report[1]["name"], "Ann (share)");
  EXPECT_GT(report[1]["files"][0]["frames"], 2);
  eyes.signal(SIGINT);
  ASSERT_EQ(eyes.wait(), 0) << eyes.log();
  const json seen = json::parse(eyes.out());
  EXPECT_EQ(seen["shares"][0]["name"], "Ann") << eyes.out();
  EXPECT_GT(seen["shares"][0]["frames_shown"], 2) << eyes.out();
}

// A file takes h264 only: while somebody records, that is what the room is given.
TEST(Record, OfAv1TheRoomFallsBackAndReturns) {
  const TemporaryFolder folder;
  BrokerProcess broker;
  std::vector<std::string> command = publish(broker.url(), "Ann");
  command.insert(command.end(), {"--codec", "av1"});
  Process ann(command);
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process eyes({program(), "watch", broker.url(), "Ann", "--insecure", "--name", "eyes",
                "--headless", "--json"});
  ASSERT_TRUE(eyes.wait_for_log("first picture of seat 0")) << eyes.log();
  const std::string file = (folder / "ann.mkv").string();
  Process recorder(record(broker.url(), file, {"Ann", "-d", "3"}));
  EXPECT_TRUE(ann.wait_for_log("encoded as h264")) << ann.log();
  ASSERT_EQ(recorder.wait(), 0) << recorder.log();
  const json report = json::parse(recorder.out())["recordings"];
  ASSERT_EQ(report.size(), 1u) << recorder.out();
  EXPECT_GT(report[0]["files"][0]["frames"], 2);
  EXPECT_TRUE(ann.wait_for_log("encoded as av1")) << ann.log();
  eyes.signal(SIGINT);
  ASSERT_EQ(eyes.wait(), 0) << eyes.log();
  const json seen = json::parse(eyes.out())["seats"][0];
  EXPECT_GT(seen["frames_shown"], 30) << eyes.out();
  // A few at each change, and those for which a busy machine has no time.
  EXPECT_LT(seen["frames_lost"], seen["frames_shown"].get<int>() / 2) << eyes.out();
}

TEST(Record, NobodyPublishes) {
  const TemporaryFolder folder;
  BrokerProcess broker;
  Process alone(record(broker.url(), (folder / "no.mkv").string(), {}));
  ASSERT_TRUE(alone.wait_for_log("joined")) << alone.log();
  alone.signal(SIGINT);
  EXPECT_EQ(alone.wait(), 1);
  EXPECT_NE(alone.log().find("nothing was recorded"), std::string::npos) << alone.log();
  EXPECT_FALSE(std::filesystem::exists(folder / "no.mkv"));
}

std::vector<std::string> party(const std::vector<std::string>& where, const std::string& name) {
  std::vector<std::string> command{program(), "--json", "call"};
  command.insert(command.end(), where.begin(), where.end());
  for (const char* a : {"--source", "test", "--size", "160x120", "--rate", "30", "--headless"}) {
    command.emplace_back(a);
  }
  command.insert(command.end(), {"--name", name});
  return command;
}

TEST(HostedCall, TwoSeeEachOtherWithoutABroker) {
  const TemporaryFolder folder;
  const std::string settings = "XDG_CONFIG_HOME=" + folder.path().string();
  Process ann(party({"--host", "127.0.0.1:0"}, "Ann"), {settings});
  const auto line = ann.wait_for_log("the other types: qvid call qvid://");
  ASSERT_TRUE(line) << ann.log();
  const std::string url = line->substr(line->rfind("qvid://"));
  EXPECT_NE(url.find("#sha256:"), std::string::npos) << "TLS by default";
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();

  // Her name is taken; the same address too.
  Process same(party({url}, "Ann"), {settings});
  EXPECT_EQ(same.wait(), 4) << same.log();
  EXPECT_NE(same.log().find("taken"), std::string::npos) << same.log();
  const std::string address = url.substr(7, url.find('#') - 7);
  Process twice(party({"--host", address}, "Cid"), {settings});
  EXPECT_EQ(twice.wait(), 1) << twice.log();
  EXPECT_NE(twice.log().find("in use"), std::string::npos) << twice.log();

  Process bob(party({url}, "Bob"), {settings});
  ASSERT_TRUE(bob.wait_for_log("first picture of seat 0")) << bob.log();
  ASSERT_TRUE(ann.wait_for_log("first picture of seat 0")) << ann.log();
  Process third(party({url}, "Cid"), {settings});
  EXPECT_EQ(third.wait(), 4) << third.log();
  EXPECT_NE(third.log().find("full"), std::string::npos) << third.log();
  Process other(party({"qvid://" + address + "/den" + url.substr(url.find('#'))}, "Dan"),
                {settings});
  EXPECT_EQ(other.wait(), 4) << other.log();
  EXPECT_NE(other.log().find("leave the room out"), std::string::npos) << other.log();

  ann.signal(SIGINT);
  ASSERT_EQ(ann.wait(), 0) << ann.log();
  EXPECT_EQ(bob.wait(), 4) << bob.log();
  EXPECT_NE(bob.log().find("Ann has ended the call"), std::string::npos) << bob.log();
  for (Process* each : {&ann, &bob}) {
    const json seats = json::parse(each->out())["seats"];
    ASSERT_EQ(seats.size(), 1u) << each->out();
    EXPECT_GT(seats[0]["frames_shown"], 0);  // the first one, at least, was waited for
  }
}

TEST(HostedCall, TheCommandLineIsChecked) {
  Process nobody(party({}, "Ann"));
  EXPECT_EQ(nobody.wait(), 2) << nobody.log();
  EXPECT_NE(nobody.log().find("--host"), std::string::npos);
  Process open(party({"--host", "0.0.0.0:0", "--insecure"}, "Ann"));
  EXPECT_EQ(open.wait(), 2) << open.log();
  EXPECT_NE(open.log().find("--insecure is for this machine only"), std::string::npos);
}

// By the window of a call: everybody is told, and everybody's file is whole when it is over.
TEST(Record, TheCallOneTakesPartIn) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  const TemporaryFolder folder;
  BrokerProcess broker;
  Process ann(publish(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process call({"sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path().string(), program(), "call",
                broker.url(), "--insecure", "--name", "Eve", "--no-camera", "--microphone", "none",
                "--speaker", "none"},
               on(*display));
  ASSERT_TRUE(call.wait_for_log("first picture of seat 0: 'Ann'")) << call.log();
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - den")) << call.log();
  robot.key("e");
  EXPECT_TRUE(call.wait_for_log("Eve (recording) joined, and records")) << call.log();
  ann.wait_for_log("never said", Milliseconds(2000));
  robot.key("e");
  // The room is told that it is over, and the files are whole, in either order.
  EXPECT_TRUE(logs(call, "Eve (recording) left")) << call.log();
  EXPECT_TRUE(logs(call, "recorded: 1 files")) << call.log();
  robot.key("q");
  EXPECT_EQ(call.wait(), 0) << call.log();
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder.path()), {});
  ASSERT_EQ(files.size(), 1u);
  EXPECT_NE(files[0].filename().string().find("-Ann.mkv"), std::string::npos) << files[0];
  EXPECT_GT(std::filesystem::file_size(files[0]), 1000u);
  Process play({program(), "publish", files[0].string(), broker.url(), "--insecure", "--name",
                "replay", "--loop"});
  EXPECT_TRUE(play.wait_for_log("joined")) << play.log();
}

}  // namespace
}  // namespace e2e::record_test
