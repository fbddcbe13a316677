// Brokers of one cluster, a server of NATS and parties of a room, real processes: who joins anywhere
// sees everybody, and what happens when one of them is killed.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>

#include "tests/e2e/broker_process.h"
#include "tests/e2e/way.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

std::string nats_server() {
  for (const char* place : {"/usr/sbin/nats-server", "/usr/bin/nats-server"}) {
    if (std::filesystem::exists(place)) return place;
  }
  return {};
}

// A server of NATS with JetStream, on a port of the loopback.
class NatsProcess {
 public:
  explicit NatsProcess(const std::string& folder, const std::string& port = "-1",
                       const std::string& password = "")
      : process_(command(folder, port, password)) {
    const std::string mark = "Listening for client connections on ";
    const auto line = process_.wait_for_log(mark);
    if (!line) return;
    const std::string address = line->substr(line->find(mark) + mark.size());
    port_ = address.substr(address.rfind(':') + 1);
    process_.wait_for_log("Server is ready");
  }
  Process& process() { return process_; }
  const std::string& port() const { return port_; }
  std::string url() const { return "nats://127.0.0.1:" + port_; }

 private:
  static std::vector<std::string> command(const std::string& folder, const std::string& port,
                                          const std::string& password) {
    std::vector<std::string> words{nats_server(), "-a",  "127.0.0.1", "-p",
                                   port,          "-js", "-sd",       folder};
    if (!password.empty()) {
      words.insert(words.end(), {"--user", "broker", "--pass", password});
    }
    return words;
  }

  Process process_;
  std::string port_;
};

class Cluster : public testing::Test {
 protected:
  void SetUp() override {
    if (nats_server().empty()) GTEST_SKIP() << "nats-server is not installed";
    nats = std::make_unique<NatsProcess>(folder.path().string());
    ASSERT_FALSE(nats->port().empty()) << nats->process().log();
  }
  std::unique_ptr<BrokerProcess> node(const std::string& name,
                                      const std::string& listen = "127.0.0.1:0",
                                      const std::string& advertise = "") {
    std::vector<std::string> more{"--cluster", nats_url(), "--name",       name,
                                  "--region",  "here",     "--local-admin"};
    if (!advertise.empty()) more.insert(more.end(), {"--advertise", advertise});
    auto made = std::make_unique<BrokerProcess>(listen, more);
    EXPECT_TRUE(logs(made->process(), "the directory answers")) << made->process().log();
    return made;
  }
  std::string nats_url() const { return "nats://" + user + "127.0.0.1:" + nats->port(); }
  // Killed, and started again.
  void restart_nats(const std::string& password) {
    const std::string port = nats->port();
    nats->process().signal(SIGKILL);
    nats->process().wait();
    nats = std::make_unique<NatsProcess>(folder.path().string(), port, password);
    ASSERT_EQ(nats->port(), port) << nats->process().log();
  }
  static std::vector<std::string> call(const BrokerProcess& broker, const std::string& name,
                                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{
        program(),  "--json", "call",   broker.url(), "--insecure", "--name", name,
        "--source", "test",   "--size", "160x120",    "--headless", "--rate", "15"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  qvid::TemporaryFolder folder;
  std::unique_ptr<NatsProcess> nats;
  std::string user;  // before the host in the server's URL
};

TEST_F(Cluster, WhoJoinsAnywhereSeesEverybody) {
  const auto a = node("a");
  const auto b = node("b");
  const auto c = node("c");
  Process ann(call(*a, "Ann"));
  Process bob(call(*b, "Bob"));
  Process cid(call(*c, "Cid"));
  for (Process* party : {&ann, &bob, &cid}) {
    EXPECT_TRUE(logs(*party, "first picture of seat 0")) << party->log();
    EXPECT_TRUE(logs(*party, "first picture of seat 1")) << party->log();
  }
  // A name is one's in the whole cluster.
  Process other(call(*a, "Bob"));
  EXPECT_NE(other.wait(), 0);
  EXPECT_NE(other.log().find("taken"), std::string::npos) << other.log();
  // Who leaves, leaves for all.
  cid.signal(SIGINT);
  EXPECT_EQ(cid.wait(), 0) << cid.log();
  EXPECT_TRUE(logs(ann, "Cid left")) << ann.log();
  EXPECT_TRUE(logs(bob, "Cid left")) << bob.log();
  // The name is free then, at all nodes.
  Process next(call(*a, "Cid"));
  EXPECT_TRUE(logs(next, "first picture of seat 1")) << next.log();
  // Who administers does so wherever the member is.
  for (const bool on : {true, false}) {
    std::vector<std::string> words{program(), "admin", "lock", "qvid://" + a->address() + "/den",
                                   "--insecure"};
    if (!on) words.emplace_back("--off");
    Process lock(words);
    EXPECT_EQ(lock.wait(), 0) << lock.log();
    EXPECT_TRUE(logs(bob, on ? "the room is locked" : "the room is open again")) << bob.log();
  }
  Process kick({program(), "admin", "kick", "qvid://" + a->address() + "/den", "Bob", "--reason",
                "too loud", "--insecure"});
  EXPECT_EQ(kick.wait(), 0) << kick.log();
  EXPECT_EQ(bob.wait(), 4) << bob.log();
  EXPECT_NE(bob.log().find("too loud"), std::string::npos) << bob.log();
  ann.signal(SIGINT);
  EXPECT_EQ(ann.wait(), 0) << ann.log();
}

TEST_F(Cluster, WhoseNodeIsKilledComesBackAtAnother) {
  auto a = node("a");
  const auto b = node("b");
  Process ann(call(*a, "Ann"));
  Process bob(call(*b, "Bob"));
  ASSERT_TRUE(logs(ann, "first picture of seat 0")) << ann.log();
  ASSERT_TRUE(logs(bob, "first picture of seat 0")) << bob.log();
  a->process().signal(SIGKILL);
  // How long that takes, `./run lab cluster` measures.
  EXPECT_TRUE(bob.wait_for_log("Ann left")) << bob.log();
  EXPECT_TRUE(bob.wait_for_log("Ann joined")) << bob.log();
  EXPECT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  EXPECT_TRUE(ann.wait_for_log("first picture of seat 0")) << ann.log();
  // The node comes back, and is one of them again.
  a = node("a");
  Process cid(call(*a, "Cid"));
  EXPECT_TRUE(logs(cid, "first picture of seat 1")) << cid.log();
}

TEST_F(Cluster, WithoutNatsCallsGoOnAndNewNamesAreRefused) {
  const auto a = node("a");
  const auto b = node("b");
  Process ann(call(*a, "Ann"));
  Process bob(call(*b, "Bob"));
  ASSERT_TRUE(logs(ann, "first picture of seat 0")) << ann.log();
  const std::string port = nats->port();
  nats->process().signal(SIGKILL);
  nats->process().wait();
  for (const auto* each : {&a, &b}) {
    EXPECT_TRUE((*each)->process().wait_for_log("the directory (NATS) does not answer"))
        << (*each)->process().log();
  }
  Process cid(call(*a, "Cid"));
  EXPECT_EQ(cid.wait(), 4) << cid.log();
  EXPECT_NE(cid.log().find("the directory of the cluster (NATS) does not answer"),
            std::string::npos)
      << cid.log();
  EXPECT_EQ(ann.log().find("Bob left"), std::string::npos) << ann.log();
  nats = std::make_unique<NatsProcess>(folder.path().string(), port);
  ASSERT_EQ(nats->port(), port) << nats->process().log();
  EXPECT_TRUE(a->process().wait_for_log("the directory answers")) << a->process().log();
  EXPECT_TRUE(b->process().wait_for_log("the directory answers")) << b->process().log();
  Process dan(call(*a, "Dan"));
  EXPECT_TRUE(logs(dan, "first picture of seat 1")) << dan.log();
}

TEST_F(Cluster, ADrainedNodesMembersGoOnAtAnother) {
  const auto a = node("a");
  const auto b = node("b");
  Process ann(call(*a, "Ann"));
  Process bob(call(*b, "Bob"));
  ASSERT_TRUE(logs(ann, "first picture of seat 0")) << ann.log();
  ASSERT_TRUE(logs(bob, "first picture of seat 0")) << bob.log();
  a->process().signal(SIGTERM);
  EXPECT_TRUE(ann.wait_for_log("joined the room")) << ann.log();
  // It was in there before it was out here.
  EXPECT_NE(ann.log().find("moves to " + b->address()), std::string::npos) << ann.log();
  EXPECT_EQ(ann.log().find("trying again"), std::string::npos) << ann.log();
  EXPECT_TRUE(ann.wait_for_log("first picture of seat 0")) << ann.log();
  EXPECT_TRUE(bob.wait_for_log("first picture of seat 0"))
      << bob.log();  // in the place of the old ones
  EXPECT_EQ(a->process().wait(), 0) << a->process().log();
  EXPECT_EQ(ann.log().find("Bob left"), std::string::npos) << ann.log();
  EXPECT_EQ(bob.log().find("Ann left"), std::string::npos) << bob.log();
  ann.signal(SIGINT);
  EXPECT_EQ(ann.wait(), 0) << ann.log();
}

TEST_F(Cluster, ALinkThatIsCutHealsByItself) {
  Way to_a;
  Way to_b;
  const auto a = node("a", to_a.listen(), to_a.advertise());
  const auto b = node("b", to_b.listen(), to_b.advertise());
  Process ann(call(*a, "Ann"));
  Process bob(call(*b, "Bob"));
  ASSERT_TRUE(logs(ann, "first picture of seat 0")) << ann.log();
  ASSERT_TRUE(logs(bob, "first picture of seat 0")) << bob.log();
  to_a.cut(true);
  to_b.cut(true);
  EXPECT_TRUE(ann.wait_for_log("Bob left")) << ann.log();
  EXPECT_TRUE(bob.wait_for_log("Ann left")) << bob.log();
  // The directory is there: nobody else is Bob.
  Process other(call(*a, "Bob"));
  EXPECT_NE(other.wait(), 0);
  EXPECT_NE(other.log().find("taken"), std::string::npos) << other.log();
  to_a.cut(false);
  to_b.cut(false);
  EXPECT_TRUE(ann.wait_for_log("first picture of seat 0")) << ann.log();
  EXPECT_TRUE(bob.wait_for_log("first picture of seat 0")) << bob.log();
  // Nobody is left behind of who goes then.
  bob.signal(SIGINT);
  EXPECT_EQ(bob.wait(), 0) << bob.log();
  EXPECT_TRUE(ann.wait_for_log("Bob left")) << ann.log();
  for (const auto* each : {&a, &b}) {
    Process rooms({program(), "--json", "admin", "rooms", "qvid://" + (*each)->address(), "den",
                   "--insecure"});
    rooms.wait();  // at b there may be no such room any more
    EXPECT_EQ(rooms.out().find("Bob"), std::string::npos) << rooms.out();
  }
}

TEST_F(Cluster, ANatsThatRefusesItForAWhileIsAskedAgain) {
  user = "broker:right@";
  restart_nats("right");
  const auto a = node("a");
  restart_nats("wrong");
  // The library gives up a connection at the second.
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(nats->process().wait_for_log("authentication error")) << nats->process().log();
  }
  EXPECT_TRUE(a->process().wait_for_log("the directory (NATS) does not answer"))
      << a->process().log();
  restart_nats("right");
  EXPECT_TRUE(a->process().wait_for_log("the directory answers")) << a->process().log();
  Process ann(call(*a, "Ann"));
  EXPECT_TRUE(logs(ann, "joined the room")) << ann.log();
}

TEST_F(Cluster, TheSecondOfANameWaitsForTheFirstToEnd) {
  auto first = node("a");
  BrokerProcess second("127.0.0.1:0", {"--cluster", nats_url(), "--name", "a"});
  Process& process = second.process();
  EXPECT_TRUE(logs(process, "another node runs as 'a'")) << process.log();
  Process early(call(second, "Ann"));
  EXPECT_EQ(early.wait(), 4) << early.log();
  EXPECT_NE(early.log().find("this one lets nobody in"), std::string::npos) << early.log();
  first->process().signal(SIGKILL);
  EXPECT_TRUE(process.wait_for_log("the name 'a' is this node's again")) << process.log();
  Process ann(call(second, "Ann"));
  EXPECT_TRUE(logs(ann, "joined the room")) << ann.log();
}

TEST_F(Cluster, WhatIsWrongIsToldBeforeAnythingStarts) {
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  const std::vector<Case> cases{
      {{"--cluster", "http://x"}, 2, "nats://host:4222"},
      {{"--cluster", nats->url()}, 2, "name this node too"},
      {{"--cluster", nats->url(), "--name", "East 1"}, 2, "a-z, 0-9"},
      {{"--name", "east-1"}, 2, "--cluster"},
      {{"--cluster", nats->url(), "--name", "a", "--advertise", "x:y:z"}, 2, "--advertise"},
      {{"--cluster", nats->url(), "--name", "a", "--cluster-credentials", "/absent"},
       2,
       "cannot be read"},
      {{"--cluster", "nats://127.0.0.1:1", "--name", "a"}, 1, "NATS at 127.0.0.1:1"}};
  for (const Case& each : cases) {
    BrokerProcess broker("127.0.0.1:0", each.words);
    EXPECT_EQ(broker.process().wait(), each.code) << broker.process().log();
    EXPECT_NE(broker.process().log().find(each.says), std::string::npos) << broker.process().log();
  }
}

}  // namespace
}  // namespace e2e
