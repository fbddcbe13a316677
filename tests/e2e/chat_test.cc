// Members of a room write to each other: real processes, on terminals and in a window that is driven
// by keys.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/robot.h"
#include "tests/e2e/temporary_pipe.h"

namespace e2e {
namespace {

using nlohmann::json;

// A member who writes what its pipe is given.
class Writer {
 public:
  Writer(const std::string& url, const std::string& name)
      : process_({"/bin/sh", "-c",
                  "exec " + program() + " watch " + url + " --insecure --headless --chat --name '" +
                      name + "' < " + pipe_.path()}) {
    pipe_.open();
  }
  void write(const std::string& line) { pipe_.write(line + "\n"); }
  Process& process() { return process_; }

 private:
  TemporaryPipe pipe_;
  Process process_;
};

TEST(Chat, IsToAllOrToOneAndKeptForWhoComesLater) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Writer ann(broker.url(), "Ann");
  ASSERT_TRUE(ann.process().wait_for_log("joined the room")) << ann.process().log();
  Process bob(watch(broker.url(), "Bob"));
  ASSERT_TRUE(bob.wait_for_log("joined the room")) << bob.log();
  Process cid(watch(broker.url(), "Cid"));
  ASSERT_TRUE(cid.wait_for_log("joined the room")) << cid.log();
  ASSERT_TRUE(logs(ann.process(), "Cid joined")) << ann.process().log();
  ann.write("hello everybody");
  EXPECT_TRUE(bob.wait_for_log("chat: Ann: hello everybody")) << bob.log();
  ann.write("@Bob for you alone");
  EXPECT_TRUE(bob.wait_for_log("chat: Ann to Bob: for you alone")) << bob.log();
  ann.write("@Dan are you there?");
  EXPECT_TRUE(logs(ann.process(), "not sent: there is no 'Dan' in this room"))
      << ann.process().log();
  ann.write("that is all");
  EXPECT_TRUE(cid.wait_for_log("chat: Ann: that is all")) << cid.log();
  EXPECT_EQ(cid.log().find("alone"), std::string::npos) << cid.log();
  EXPECT_EQ(cid.log().find("Dan"), std::string::npos) << "what is for one is never for all";
  // Who comes later, and tells programs.
  auto command = watch(broker.url(), "Dan");
  command.insert(command.begin() + 1, "--json");
  Process dan(command);
  ASSERT_TRUE(dan.wait_for_log("joined the room")) << dan.log();
  ann.write("welcome");
  EXPECT_TRUE(bob.wait_for_log("chat: Ann: welcome")) << bob.log();
  bob.signal(SIGINT);
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  ASSERT_TRUE(dan.wait_for_log("Bob left")) << dan.log();
  dan.signal(SIGINT);
  EXPECT_EQ(dan.wait(), 0) << dan.log();
  std::istringstream lines(dan.out());
  std::vector<std::string> told;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("{\"")) continue;  // the report, at the end
    const json event = json::parse(line);
    EXPECT_EQ(event["event"], "message");
    told.push_back(event["text"]);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"hello everybody", "that is all", "welcome"}));
}

TEST(Chat, ABrokerMayHaveNone) {
  qvid::TemporaryFolder folder;
  const std::string file = (folder / "broker.toml").string();
  ASSERT_EQ(::system(("echo 'chat = false' > " + file).c_str()), 0);
  Process broker({program(), "broker", "--listen", "127.0.0.1:0", "--insecure", "--config", file});
  const auto line = broker.wait_for_log("join with: qvid call qvid://");
  ASSERT_TRUE(line) << broker.log();
  const std::size_t from = line->find("qvid://");
  const std::string url = line->substr(from, line->find('/', from + 7) - from) + "/den";
  Writer ann(url, "Ann");
  ASSERT_TRUE(ann.process().wait_for_log("joined the room")) << ann.process().log();
  ann.write("hello");
  EXPECT_TRUE(ann.process().wait_for_log("not sent: this broker has no chat"))
      << ann.process().log();
}

TEST(Chat, InTheWindowKeysAreTextWhileOneWrites) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  Robot robot(display->name());
  BrokerProcess broker;
  Writer bob(broker.url(), "Bob");
  ASSERT_TRUE(bob.process().wait_for_log("joined the room")) << bob.process().log();
  Process ann(
      {program(), "watch", broker.url(), "--insecure", "--name", "Ann", "--speaker", "none"},
      on(*display));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  ASSERT_TRUE(logs(bob.process(), "Ann joined")) << bob.process().log();
  ASSERT_TRUE(robot.focus("Qvid - den"));
  bob.write("hello Ann");
  ASSERT_TRUE(ann.wait_for_log("chat: Bob: hello Ann")) << ann.log();
  // q would leave the call.
  robot.key("t");
  robot.type("quit? no.");
  robot.key("Return");
  EXPECT_TRUE(bob.process().wait_for_log("chat: Ann: quit? no.")) << ann.log();
  robot.type("@Bob q");
  robot.key("Return");
  EXPECT_TRUE(bob.process().wait_for_log("chat: Ann to Bob: q")) << ann.log();
  robot.key("Escape");
  robot.key("q");
  EXPECT_EQ(ann.wait(), 0) << ann.log();
}

TEST(Chat, ALinkIsOpenedOnlyByHand) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  Robot robot(display->name());
  // What xdg-open is given, and that it is told no secret.
  TemporaryPipe opened;
  qvid::TemporaryFolder folder;
  const std::string opener = (folder / "xdg-open").string();
  {
    std::ofstream script(opener);
    script << "#!/bin/sh\necho \"$# $1 [$QVID_TOKEN]\" > " << opened.path() << "\n";
  }
  std::filesystem::permissions(opener, std::filesystem::perms::owner_all);
  BrokerProcess broker;
  Writer bob(broker.url(), "Bob");
  ASSERT_TRUE(bob.process().wait_for_log("joined the room")) << bob.process().log();
  auto environment = on(*display);
  environment.push_back("PATH=" + folder.path().string() + ":" + std::getenv("PATH"));
  environment.push_back("QVID_TOKEN=eyJhbGciOiJIUzI1NiJ9.e30.AA");
  Process ann(
      {program(), "watch", broker.url(), "--insecure", "--name", "Ann", "--speaker", "none"},
      environment);
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  ASSERT_TRUE(robot.focus("Qvid - den"));
  bob.write("see https://example.org/x?y=1&z=$(id), now");
  ASSERT_TRUE(ann.wait_for_log("chat: Bob: see")) << ann.log();
  robot.key("t");
  robot.key("ctrl+o");
  Process reader({"cat", opened.path()});
  EXPECT_EQ(reader.wait(), 0);
  EXPECT_EQ(reader.out(), "1 https://example.org/x?y=1&z=$(id) []\n");
  robot.key("Escape");
  robot.key("q");
  EXPECT_EQ(ann.wait(), 0) << ann.log();
}

}  // namespace
}  // namespace e2e
