// What a person wants to be sent at the most: real processes keep to it, and show what comes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/broker_process.h"

namespace e2e {
namespace {

using nlohmann::json;

constexpr double kLimit = 300'000;  // bits a second, of four to six times as much

TEST(LimitDown, IsKeptByAServer) {
  ServerProcess server({"test", "--size", "320x240", "--bitrate", "2m", "--insecure"});
  Process player({program(), "--json", "play", server.url(), "--insecure", "--headless",
                  "--limit-down", "300k", "-d", "6"});
  ASSERT_EQ(player.wait(), 0) << player.log();
  const json report = json::parse(player.out());
  EXPECT_GT(report["frames_shown"], 40) << report;
  EXPECT_EQ(report["decode_errors"], 0) << report;
  EXPECT_LT(report["bytes"].get<double>() * 8, kLimit * (report["seconds"].get<double>() + 1))
      << report;
}

TEST(LimitDown, IsKeptByABroker) {
  BrokerProcess broker;
  ASSERT_FALSE(broker.address().empty()) << broker.process().log();
  Process ann({program(), "publish", "test", broker.url(), "--insecure", "--name", "Ann", "--size",
               "320x240", "--bitrate", "2m"});
  Process bob(watch(broker.url(), "Bob", {"--json", "--limit-down", "300k", "-d", "6"}));
  ASSERT_EQ(bob.wait(), 0) << bob.log();
  const json report = json::parse(bob.out());
  ASSERT_EQ(report["seats"].size(), 1u) << report;
  const json& seat = report["seats"][0];
  EXPECT_GT(seat["frames_shown"], 40) << report;
  EXPECT_EQ(seat["decode_errors"], 0) << report;
  EXPECT_LT(seat["bytes"].get<double>() * 8, kLimit * 7) << report;
}

TEST(LimitDown, ThatIsNoneIsToldBeforeAnythingStarts) {
  for (const char* command : {"play", "watch"}) {
    Process process({program(), command, "qvid://127.0.0.1:1/den", "--insecure", "--headless",
                     "--limit-down", "much"});
    EXPECT_EQ(process.wait(), 2);
    EXPECT_NE(process.log().find("--limit-down: "), std::string::npos) << process.log();
  }
}

}  // namespace
}  // namespace e2e
