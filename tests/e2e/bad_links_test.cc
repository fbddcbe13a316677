// Two real processes over the lab's bad links: one connection stalls, everything stops for twenty
// seconds, the address changes. Nothing may be lost or come twice, and the gaps are reported.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/e2e/emulated_link.h"
#include "tests/e2e/inside.h"
#include "tests/e2e/process.h"

namespace e2e {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

struct BadLinks : OnEmulatedLink {
  BadLinks() : OnEmulatedLink("rate=16mbit delay=15ms queue=60ms") {}
  // Two probes, connected; the near one sends and listens for so many seconds.
  void start(int seconds) {
    server =
        std::make_unique<Process>(inside(emulator->far(), {QVID_MESSAGE_PROBE, "serve", "7400"}));
    // Until it listens.
    for (int i = 0; i < 200; ++i) {
      if (run_far({"ss", "-tlnH", "sport = :7400"}).find("7400") != std::string::npos) break;
      server->wait_for_log("never", milliseconds(20));
    }
    client = std::make_unique<Process>(
        inside(emulator->near(),
               {QVID_MESSAGE_PROBE, "connect", "10.77.0.2", "7400", std::to_string(seconds)}));
  }
  std::string run_near(const std::vector<std::string>& command) {
    Process p(inside(emulator->near(), command));
    EXPECT_EQ(p.wait(), 0) << p.log();
    return p.out();
  }
  std::string run_far(const std::vector<std::string>& command) {
    Process p(inside(emulator->far(), command));
    EXPECT_EQ(p.wait(), 0) << p.log();
    return p.out();
  }
  // The client's port of the connection that has sent the most.
  std::uint16_t busiest_port() {
    std::istringstream lines(run_near({"ss", "-tniOH", "state", "established"}));
    const std::regex pattern(R"(10\.77\.0\.1:(\d+).*bytes_sent:(\d+))");
    std::uint16_t port = 0;
    long most = -1;
    for (std::string line; std::getline(lines, line);) {
      std::smatch found;
      if (!std::regex_search(line, found, pattern) || std::stol(found[2]) <= most) continue;
      most = std::stol(found[2]);
      port = static_cast<std::uint16_t>(std::stoi(found[1]));
    }
    return port;
  }
  // Lets the time pass: nothing of the probes is awaited.
  void pass(milliseconds time) { client->wait_for_log("never said", time); }
  void finish() {
    ASSERT_EQ(client->wait(), 0) << client->log();
    ASSERT_EQ(server->wait(), 0) << server->log();
    near = json::parse(client->out());
    far = json::parse(server->out());
    RecordProperty("near", client->out());
    RecordProperty("far", server->out());
    EXPECT_EQ(near["delivered"], near["sent"]);
    EXPECT_EQ(near["lost"], 0);
    EXPECT_EQ(far["received"], near["sent"]);
    EXPECT_EQ(far["missing"], 0);
    EXPECT_EQ(far["repeated"], 0);
    EXPECT_EQ(near["missing"], 0);
    EXPECT_EQ(near["repeated"], 0);
    // What was on its way when the session was closed.
    EXPECT_LE(far["lost"], 100);
    EXPECT_GT(near["sent"], 200);
  }

  std::unique_ptr<Process> server, client;
  json near, far;
};

TEST_F(BadLinks, AStalledConnectionIsLeft) {
  start(6);
  pass(2500ms);
  const std::uint16_t port = busiest_port();
  ASSERT_NE(port, 0);
  emulator->drop_flow(port, 1s);
  finish();
  ASSERT_EQ(near["sending_gaps_ms"].size(), 1u) << near;
  // Equation 4.1's threshold and about a round trip; less than the stall.
  EXPECT_GE(near["sending_gaps_ms"][0], 225);
  EXPECT_LT(near["sending_gaps_ms"][0], 900);
  EXPECT_EQ(far["receiving_gaps_ms"].size(), 1u) << far;
  EXPECT_TRUE(near["outages_s"].empty());
}

TEST_F(BadLinks, ResumesAfterAnOutage) {
  start(42);
  pass(2500ms);
  emulator->outage(20s);
  finish();
  ASSERT_EQ(near["outages_s"].size(), 1u) << near;
  ASSERT_EQ(far["outages_s"].size(), 1u) << far;
  EXPECT_GT(near["outages_s"][0], 5);
  EXPECT_LT(near["outages_s"][0], 20);
}

TEST_F(BadLinks, GoesOnFromAnotherAddress) {
  start(8);
  pass(2500ms);
  run_far({"ip", "route", "add", "10.77.1.1/32", "dev", "lab0"});
  run_near({"ip", "addr", "add", "10.77.1.1/32", "dev", "lab0"});
  run_near({"ip", "addr", "del", "10.77.0.1/30", "dev", "lab0"});
  run_near({"ip", "route", "add", "10.77.0.2", "dev", "lab0", "src", "10.77.1.1"});
  finish();
  EXPECT_GE(near["sending_gaps_ms"].size(), 1u) << near;
}

}  // namespace
}  // namespace e2e
