// Real processes whose content goes by UDP beside TCP, or not, over an emulated link.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/emulated_link.h"
#include "tests/e2e/inside.h"
#include "tests/e2e/process.h"

namespace e2e {
namespace {

using nlohmann::json;

struct Udp : OnEmulatedLink {
  explicit Udp(const char* link = "rate=8mbit delay=15ms queue=60ms loss=1%")
      : OnEmulatedLink(link) {}
  void serve(std::vector<std::string> more = {}) {
    std::vector<std::string> command{program(), "serve",    "test",          "-s",
                                     "320x240", "--listen", "10.77.0.2:7400"};
    command.insert(command.end(), more.begin(), more.end());
    server = std::make_unique<Process>(inside(emulator->far(), command));
    ASSERT_TRUE(server->wait_for_log("watch it with: qvid play qvid://")) << server->log();
  }
  Process play(std::vector<std::string> more = {}, int pictures = 90) {
    std::vector<std::string> command{program(),
                                     "--json",
                                     "play",
                                     "qvid://10.77.0.2:7400/live",
                                     "--headless",
                                     "--pictures",
                                     std::to_string(pictures)};
    command.insert(command.end(), more.begin(), more.end());
    return Process(inside(emulator->near(), command));
  }
  std::unique_ptr<Process> server;
};

TEST_F(Udp, PicturesComeByItWhereBothEndsTakeIt) {
  serve();
  Process player = play();
  ASSERT_EQ(player.wait(), 0) << player.log();
  const json report = json::parse(player.out());
  EXPECT_EQ(report["udp"], true) << report;
  EXPECT_GE(report["messages_by_udp"], 60) << report;
  EXPECT_EQ(report["decode_errors"], 0) << report;
}

TEST_F(Udp, NoneGoesByItWhereOneEndDoesNotWantIt) {
  serve();
  Process player = play({"--udp", "never"});
  ASSERT_EQ(player.wait(), 0) << player.log();
  EXPECT_EQ(json::parse(player.out())["messages_by_udp"], 0);
}

TEST_F(Udp, OnlySaysThatThereIsNone) {
  serve({"--udp", "never"});
  Process player = play({"--udp", "only", "--duration", "5"});
  player.wait();
  EXPECT_NE(player.log().find("takes no datagrams"), std::string::npos) << player.log();
}

struct WithoutUdp : Udp {
  WithoutUdp() : Udp("rate=8mbit delay=15ms queue=60ms udp=drop") {}
};

TEST_F(WithoutUdp, AllComesByTcp) {
  serve();
  Process player = play();
  ASSERT_EQ(player.wait(), 0) << player.log();
  const json report = json::parse(player.out());
  EXPECT_EQ(report["udp"], false) << report;
  EXPECT_EQ(report["messages_by_udp"], 0) << report;
}

TEST_F(WithoutUdp, OnlySaysThatNonePass) {
  serve();
  Process player = play({"--udp", "only"}, 1000);
  player.wait();
  EXPECT_NE(player.log().find("no datagrams pass"), std::string::npos) << player.log();
}

}  // namespace
}  // namespace e2e
