// Ways to a server as they are: names with dead addresses, hosts with IPv6 only, zones, a load
// balancer before a broker; and what `qvid check` says of them.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/emulated_link.h"
#include "tests/e2e/inside.h"
#include "tests/e2e/process.h"
#include "tests/temporary_folder.h"

namespace e2e {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kHaproxy = "/usr/sbin/haproxy";

struct Reach : OnEmulatedLink {
  Reach() : OnEmulatedLink("rate=50mbit delay=5ms") {}
  void serve(const std::string& listen) {
    server = std::make_unique<Process>(
        inside(emulator->far(), {program(), "serve", "test", "-s", "160x120", "--listen", listen}));
    ASSERT_TRUE(server->wait_for_log("watch it with: qvid play qvid://")) << server->log();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }
  static void set_up(const qvid::lab::NetNamespace& where, const std::vector<std::string>& ip) {
    Process p(inside(where, ip));
    ASSERT_EQ(p.wait(), 0) << p.log();
  }
  // With a hosts file of its own.
  std::vector<std::string> knowing(const std::string& hosts,
                                   const std::vector<std::string>& command) const {
    write("hosts", hosts);
    std::vector<std::string> all{
        "unshare", "-m", "sh", "-c",
        "mount --bind " + (folder / "hosts").string() + " /etc/hosts && exec \"$0\" \"$@\""};
    all.insert(all.end(), command.begin(), command.end());
    return inside(emulator->near(), all);
  }
  static int count(const json& report, const std::string& step, const std::string& state) {
    int found = 0;
    for (const json& s : report["steps"]) found += s["step"] == step && s["state"] == state;
    return found;
  }

  const qvid::TemporaryFolder folder;
  std::unique_ptr<Process> server;
};

TEST_F(Reach, ANameOfWhichSomeAddressesAreDead) {
  if (!mounts_of_its_own()) GTEST_SKIP() << "no hosts file of its own here";
  serve("10.77.0.2:7400");
  const std::string hosts =
      "10.77.0.66 many.example\n10.77.0.67 many.example\n10.77.0.2 many.example\n";
  Process player(knowing(hosts, {program(), "play", "qvid://many.example:7400/live", "--headless",
                                 "--first-use", "--pictures", "1"}));
  EXPECT_EQ(player.wait(), 0) << player.log();
  EXPECT_NE(player.log().find("first picture"), std::string::npos) << player.log();
  Process check(
      knowing(hosts, {program(), "--json", "check", "qvid://many.example:7400", "--first-use"}));
  EXPECT_EQ(check.wait(), 0) << check.log() << check.out();
  const json report = json::parse(check.out());
  EXPECT_EQ(report["ok"], true);
  EXPECT_EQ(count(report, "tcp", "failed"), 2) << check.out();
  EXPECT_EQ(count(report, "tcp", "ok"), 1) << check.out();
  EXPECT_EQ(count(report, "identity", "ok"), 1) << check.out();
  EXPECT_EQ(count(report, "roundtrip", "ok"), 1) << check.out();
}

TEST_F(Reach, AHostWithIpv6OnlyByItsZone) {
  set_up(emulator->far(), {"ip", "-6", "addr", "add", "fe80::77/64", "dev", "lo", "nodad"});
  set_up(emulator->far(), {"ip", "addr", "del", "127.0.0.1/8", "dev", "lo"});
  serve("[fe80::77%lo]:7400");
  Process player(inside(emulator->far(), {program(), "play", "qvid://[fe80::77%25lo]:7400/live",
                                          "--headless", "--pictures", "1"}),
                 {"XDG_CONFIG_HOME=" + folder.path().string()});
  EXPECT_EQ(player.wait(), 0) << player.log();
  EXPECT_NE(player.log().find("first connection to [fe80::77%lo]:7400"), std::string::npos)
      << player.log();
}

TEST_F(Reach, ACheckSaysWhatToDo) {
  Process nobody(inside(emulator->near(), {program(), "check", "qvid://10.77.0.2:7400"}));
  EXPECT_EQ(nobody.wait(), 3) << nobody.out();
  EXPECT_NE(nobody.out().find("tcp        FAILED"), std::string::npos) << nobody.out();
  EXPECT_NE(nobody.out().find("-> is the server running"), std::string::npos) << nobody.out();
  serve("10.77.0.2:7400");
  Process other(inside(emulator->near(), {program(), "--json", "check",
                                          "qvid://10.77.0.2:7400#sha256:" + std::string(43, 'A')}));
  EXPECT_EQ(other.wait(), 4) << other.out();
  const json report = json::parse(other.out());
  EXPECT_EQ(report["ok"], false);
  EXPECT_EQ(count(report, "identity", "failed"), 1) << other.out();
}

TEST_F(Reach, ACheckMeasuresTheRateOfBothWays) {
  const auto measured = [&](const std::string& url) {
    Process check(inside(emulator->near(), {program(), "--json", "check", url, "--first-use"}));
    EXPECT_EQ(check.wait(), 0) << check.log() << check.out();
    const json report = json::parse(check.out());
    for (const json& s : report["steps"]) {
      if (s["step"] != "up" && s["step"] != "down") continue;
      // The link has 50; a machine that does other things meanwhile reaches less.
      EXPECT_GT(s["figures"].value("mbit_s", 0.0), 1) << check.out();
      EXPECT_LT(s["figures"].value("mbit_s", 0.0), 50) << check.out();
      EXPECT_TRUE(s["figures"].contains("growth_ms"));
    }
    EXPECT_EQ(count(report, "up", "skipped") + count(report, "down", "skipped"), 0) << check.out();
  };
  serve("10.77.0.2:7400");
  measured("qvid://10.77.0.2:7400");
  const auto key = (folder / "room.key").string();
  Process made(inside(emulator->far(), {program(), "token", "--new-key", key}));
  ASSERT_EQ(made.wait(), 0) << made.log();
  Process token(inside(emulator->far(),
                       {program(), "token", "--key", key, "--room", "den", "--name", "Ann"}));
  ASSERT_EQ(token.wait(), 0) << token.log();
  write("ann.token", token.out());
  Process broker(inside(emulator->far(),
                        {program(), "broker", "--listen", "10.77.0.2:7500", "--token-key", key}));
  ASSERT_TRUE(broker.wait_for_log("join with: qvid call qvid://")) << broker.log();
  const auto check = [&](const std::string& room, int expected, const char* state) {
    Process p(
        inside(emulator->near(), {program(), "--json", "check", "qvid://10.77.0.2:7500/" + room,
                                  "--first-use", "--token", (folder / "ann.token").string()}));
    EXPECT_EQ(p.wait(), expected) << p.out() << p.log();
    json report = json::parse(p.out());
    EXPECT_EQ(count(report, "token", state), 1) << p.out();
    return report;
  };
  const json den = check("den", 0, "ok");
  EXPECT_EQ(count(den, "down", "skipped"), 0) << den;
  check("attic", 4, "failed");
  Process stranger(inside(emulator->near(),
                          {program(), "--json", "check", "qvid://10.77.0.2:7500", "--first-use"}));
  EXPECT_EQ(stranger.wait(), 0) << stranger.out();
  EXPECT_EQ(count(json::parse(stranger.out()), "up", "skipped"), 1) << stranger.out();
}

TEST_F(Reach, ABrokerBehindHaproxySeesTheClientsAddress) {
  if (!fs::exists(kHaproxy)) GTEST_SKIP() << "haproxy is not installed";
  const std::vector<std::string> command{program(),        "broker",           "--listen",
                                         "127.0.0.1:7500", "--proxy-protocol", "127.0.0.0/8"};
  // Whoever reaches the proxy reaches it: it listens on the loopback, and is not for this machine.
  Process closed(inside(emulator->far(), command));
  EXPECT_EQ(closed.wait(), 2) << closed.log();
  EXPECT_NE(closed.log().find("--open"), std::string::npos) << closed.log();
  auto open = command;
  open.emplace_back("--open");
  Process broker(inside(emulator->far(), open));
  const auto line = broker.wait_for_log("join with: qvid call qvid://");
  ASSERT_TRUE(line) << broker.log();
  const auto hash = line->find('#');
  const std::string key = line->substr(hash, line->find_first_of(" \n", hash) - hash);
  write("haproxy.cfg",
        "global\n  maxconn 100\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 1m\n"
        "  timeout server 1m\nfrontend port_443\n  bind 10.77.0.2:443\n"
        "  tcp-request inspect-delay 5s\n"
        "  tcp-request content accept if { req.ssl_hello_type 1 }\n"
        "  use_backend qvid if { req.ssl_alpn paceline/2 }\n"
        "backend qvid\n  server broker 127.0.0.1:7500 send-proxy-v2\n");
  Process haproxy(
      inside(emulator->far(), {kHaproxy, "-db", "-f", (folder / "haproxy.cfg").string()}));
  Process ann(
      inside(emulator->near(), {program(), "call", "qvid://10.77.0.2:443/den" + key, "--name",
                                "Ann", "--source", "test", "--size", "160x120", "--headless"}));
  EXPECT_TRUE(broker.wait_for_log("10.77.0.1:")) << broker.log();
  EXPECT_TRUE(ann.wait_for_log("joined the room 'den'")) << ann.log();
  // Who comes through it is no administrator, as this machine's own people are.
  Process admin(
      inside(emulator->near(), {program(), "admin", "rooms", "qvid://10.77.0.2:443" + key}));
  EXPECT_NE(admin.wait(), 0) << admin.log() << admin.out();
}

}  // namespace
}  // namespace e2e
