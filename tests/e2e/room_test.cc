// A broker and parties of a room, real processes: everybody sees everybody, and what happens when
// one of them, or the broker, is killed.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/display.h"
#include "tests/e2e/robot.h"
#include "tests/e2e/temporary_pipe.h"

namespace e2e {
namespace {

using nlohmann::json;

std::vector<std::string> call(const std::string& url, const std::string& name,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{program(), "--json",     "call",     url,    "--insecure",
                                   "--name",  name,         "--source", "test", "--size",
                                   "160x120", "--headless", "--rate",   "15"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(Room, WhoComesToTheOtherKindOfServerIsToldSoOnce) {
  BrokerProcess broker;
  Process play({program(), "play", broker.url(), "--insecure", "--headless"});
  EXPECT_EQ(play.wait(), 4);
  EXPECT_NE(play.log().find("this is a broker"), std::string::npos) << play.log();
  ServerProcess server({"test", "--insecure"});
  Process ann(call("qvid://" + server.address() + "/den", "Ann"));
  EXPECT_EQ(ann.wait(), 4);
  EXPECT_NE(ann.log().find("this is a server of videos"), std::string::npos) << ann.log();
}

TEST(Room, EverybodySeesEverybody) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann(call(broker.url(), "Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room 'den' as 'Ann'")) << ann.log();
  Process bob(call(broker.url(), "Bob"));
  Process cid(call(broker.url(), "Cid"));
  for (Process* party : {&ann, &bob, &cid}) {
    EXPECT_TRUE(logs(*party, "first picture of seat 0")) << party->log();
    EXPECT_TRUE(logs(*party, "first picture of seat 1")) << party->log();
  }
  // A name that is taken is told, and not tried again.
  Process other(call(broker.url(), "Bob"));
  EXPECT_NE(other.wait(), 0);
  EXPECT_NE(other.log().find("taken"), std::string::npos) << other.log();
  // Who is killed is gone for the others.
  cid.signal(SIGKILL);
  EXPECT_TRUE(ann.wait_for_log("Cid left")) << ann.log();
  ann.signal(SIGINT);
  ASSERT_EQ(ann.wait(), 0) << ann.log();
  const json report = json::parse(ann.out());
  ASSERT_EQ(report["seats"].size(), 2u);
  EXPECT_GT(report["seats"][0]["frames_shown"], 0);
  EXPECT_TRUE(bob.wait_for_log("Ann left")) << bob.log();
  bob.signal(SIGINT);
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  broker.process().signal(SIGINT);
  ASSERT_EQ(broker.process().wait(), 0) << broker.process().log();
  const json stats = json::parse(broker.process().out());
  EXPECT_EQ(stats["joined"], 3);
  EXPECT_EQ(stats["refused"], 1);
  EXPECT_EQ(stats["faults"], 0);
}

TEST(Room, ComesBackWhenTheBrokerIsKilled) {
  auto broker = std::make_unique<BrokerProcess>();
  const std::string address = broker->address();
  ASSERT_FALSE(address.empty());
  Process ann(call(broker->url(), "Ann"));
  Process bob(call(broker->url(), "Bob"));
  ASSERT_TRUE(bob.wait_for_log("first picture of seat 0")) << bob.log();
  broker->process().signal(SIGKILL);
  ASSERT_TRUE(bob.wait_for_log("trying again")) << bob.log();
  broker = std::make_unique<BrokerProcess>(address);
  ASSERT_EQ(broker->address(), address) << broker->process().log();
  EXPECT_TRUE(bob.wait_for_log("first picture of seat 0")) << bob.log();
  bob.signal(SIGINT);
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  EXPECT_GE(json::parse(bob.out())["reconnections"], 1);
  // Drained, the broker ends by itself, and its clients keep trying.
  broker->process().signal(SIGTERM);
  EXPECT_EQ(broker->process().wait(), 0) << broker->process().log();
  EXPECT_TRUE(ann.wait_for_log("being replaced; trying again")) << ann.log();
}

TEST(Room, TheBestAreWatchedByCriteria) {
  BrokerProcess broker;
  Process one({program(), "publish", "test", broker.url(), "--insecure", "--name", "one", "--size",
               "160x120", "--rate", "15"});
  ASSERT_TRUE(one.wait_for_log("joined")) << one.log();
  Process two({program(), "publish", "test", broker.url(), "--insecure", "--name", "two", "--size",
               "160x120", "--rate", "15"});
  ASSERT_TRUE(two.wait_for_log("joined")) << two.log();
  Process best({program(), "--json", "watch", broker.url(), "--insecure", "--name", "eyes",
                "--headless", "--best", "ORDER BY name DESC", "--seats", "1"});
  ASSERT_TRUE(best.wait_for_log("first picture of seat 0")) << best.log();
  Process bad({program(), "watch", broker.url(), "--insecure", "--name", "wrong", "--headless",
               "--best", "ORDER BY nonsense"});
  EXPECT_TRUE(bad.wait_for_log("no such column")) << bad.log();
  best.signal(SIGINT);
  ASSERT_EQ(best.wait(), 0);
  const json report = json::parse(best.out());
  ASSERT_EQ(report["seats"].size(), 1u);
  EXPECT_EQ(report["seats"][0]["name"], "two");
}

// Criteria that change while a viewer runs: the seat switches, and what is refused changes nothing.
TEST(Room, CriteriaChangeWhileAViewerRuns) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  const auto publish = [&](const std::string& name) {
    return std::vector<std::string>{program(), "publish", "test",   broker.url(), "--insecure",
                                    "--name",  name,      "--size", "160x120"};
  };
  Process ann(publish("Ann"));
  ASSERT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  Process bob(publish("Bob"));
  ASSERT_TRUE(bob.wait_for_log("joined the room")) << bob.log();
  TemporaryPipe criteria;
  Process eve({"/bin/sh", "-c",
               "exec " + program() + " --json watch " + broker.url() +
                   " --insecure --name Eve --headless --seats 1 --best - < " + criteria.path()});
  criteria.open();
  criteria.write("WHERE name = 'Ann'\n");
  ASSERT_TRUE(eve.wait_for_log("first picture of seat 0: 'Ann'")) << eve.log();
  criteria.write("WHERE nonsense(\n");
  ASSERT_TRUE(eve.wait_for_log("is never closed")) << eve.log();
  criteria.write("WHERE name = 'Bob'\n");
  ASSERT_TRUE(eve.wait_for_log("first picture of seat 0: 'Bob'")) << eve.log();
  eve.signal(SIGINT);
  ASSERT_EQ(eve.wait(), 0) << eve.log();
  const json report = json::parse(eve.out());
  EXPECT_EQ(report["seats"][0]["name"], "Bob");
  EXPECT_EQ(report["seats"][0]["switches"], 1);
  EXPECT_GT(report["seats"][0]["longest_switch_ms"], 0);
}

TEST(Room, WhatIsNoVideoGoesThroughTheSameBroker) {
  BrokerProcess broker;
  Process ann({QVID_CURSORS, broker.address(), "board", "Ann", "5"});
  Process bob({QVID_CURSORS, broker.address(), "board", "Bob", "4"});
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  EXPECT_EQ(ann.wait(), 0) << ann.log();
  EXPECT_NE(ann.out().find("Bob is at "), std::string::npos) << ann.out();
}

TEST(Room, ALoadTestMeasuresTheBroker) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process load({QVID_LAB_PROGRAM, "--json", "load", broker.url(), "--insecure", "-s3", "-p2",
                "--seats=0", "--rate=200kbit", "--fps=20", "--time=2", "--warm-up=2",
                "--window=10000"});
  ASSERT_EQ(load.wait(), 0) << load.log();
  const json report = json::parse(load.out());
  EXPECT_EQ(report["joined"], 5);
  EXPECT_EQ(report["sessions_lost"], 0);
  EXPECT_GT(report["parts"], 100);
  // None on a machine that has time.
  EXPECT_LT(report["parts_given_up"].get<int>(), report["parts"].get<int>() / 10);
  EXPECT_EQ(report["lost"], json({0.0, 0.0, 0.0, 0.0})) << load.log();
  for (const char* which : {"base_delay_ms", "delay_ms"}) {
    EXPECT_GT(report[which]["p50"], 0);
    EXPECT_LE(report[which]["p50"], report[which]["p99"]);
    EXPECT_LE(report[which]["p99"], report[which]["max"]);
  }
  // Found by itself.
  EXPECT_EQ(report["broker"]["pid"], broker.process().pid());
  EXPECT_GT(report["broker"]["resident"], 0);
  // Nobody is there.
  broker.process().signal(SIGKILL);
  broker.process().wait();
  Process alone({QVID_LAB_PROGRAM, "load", broker.url(), "--insecure"});
  EXPECT_EQ(alone.wait(), 3) << alone.log();
  Process wrong({QVID_LAB_PROGRAM, "load", broker.url(), "--insecure", "--rooms", "2"});
  EXPECT_EQ(wrong.wait(), 2) << wrong.log();
}

TEST(Room, AnOpenBrokerHasToBeMeant) {
  Process broker({program(), "broker", "--listen", "0.0.0.0:0"});
  EXPECT_EQ(broker.wait(), 2) << broker.log();
  EXPECT_NE(broker.log().find("--open"), std::string::npos);
}

// The one seat goes to whom one pins, and back; the publishers are told by the broker.
TEST(Room, WhoIsPinnedHasAPicture) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  BrokerProcess broker;
  Process ann({program(), "publish", "test", broker.url(), "--insecure", "--name", "Ann", "--size",
               "320x240"});
  ASSERT_TRUE(ann.wait_for_log("joined")) << ann.log();
  Process bob({program(), "publish", "test", broker.url(), "--insecure", "--name", "Bob", "--size",
               "320x240"});
  ASSERT_TRUE(bob.wait_for_log("joined")) << bob.log();
  Process call({program(), "call", broker.url(), "--insecure", "--name", "Eve", "--no-camera",
                "--microphone", "none", "--speaker", "none", "--seats", "1"},
               on(*display));
  ASSERT_TRUE(call.wait_for_log("first picture of seat 0: 'Ann'")) << call.log();
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - den")) << call.log();
  robot.key("Tab", 3);  // Ann, oneself, Bob
  robot.key("p");
  EXPECT_TRUE(call.wait_for_log("first picture of seat 0: 'Bob'")) << call.log();
  robot.key("q");
  EXPECT_EQ(call.wait(), 0) << call.log();
}

// The lines of the next word in the log of how tall its picture is shown; 0: nobody shows it.
int lines_shown(Process& publisher) {
  const auto line = publisher.wait_for_log(" lines are shown of it");
  const std::size_t at = line ? line->find("test: ") : std::string::npos;
  if (at == std::string::npos) return -1;
  return line->find("all lines") != std::string::npos ? 1 << 16 : std::stoi(line->substr(at + 6));
}

TEST(Room, NobodySendsMoreThanIsShown) {
  const auto display = open_display("1280x800");
  if (!display) GTEST_SKIP() << "there is no Xvfb here";
  BrokerProcess broker;
  Process ann({program(), "-v", "publish", "test", broker.url(), "--insecure", "--name", "Ann",
               "--size", "640x360"});
  EXPECT_EQ(lines_shown(ann), 0) << ann.log();
  Process bob({program(), "publish", "test", broker.url(), "--insecure", "--name", "Bob"});
  ASSERT_TRUE(bob.wait_for_log("joined")) << bob.log();
  Process call({program(), "call", broker.url(), "--insecure", "--name", "Eve", "--no-camera",
                "--microphone", "none", "--speaker", "none"},
               on(*display));
  Robot robot(display->name());
  ASSERT_TRUE(robot.focus("Qvid - den")) << call.log();
  const int equal = lines_shown(ann);
  EXPECT_GT(equal, 0) << ann.log();
  ASSERT_TRUE(logs(call, "first picture of seat 1")) << call.log();
  robot.key("l");  // one large
  int large = equal;
  while (large >= 0 && large <= equal) large = lines_shown(ann);
  EXPECT_GT(large, equal) << ann.log();
  robot.key("l");
  int again = large;
  while (again >= large) again = lines_shown(ann);
  EXPECT_GT(again, 0) << ann.log();
  // Who does not say gets all there is.
  Process eye({program(), "call", broker.url(), "--insecure", "--name", "Eye", "--no-camera",
               "--headless", "--microphone", "none", "--speaker", "none"});
  EXPECT_EQ(lines_shown(ann), 1 << 16) << ann.log();
  robot.key("q");
  EXPECT_EQ(call.wait(), 0) << call.log();
}

}  // namespace
}  // namespace e2e
