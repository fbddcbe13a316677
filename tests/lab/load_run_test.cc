// A load test against a broker in this process, over connections that are cut.
#include "lab/load/load_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "pubsub/server/broker_server.h"
#include "tests/transport/event_loop.h"
#include "tests/transport/relay.h"

namespace qvid::lab {
namespace {

using qvid::operator""ms;
using qvid::operator""s;

struct LoadRunTest : testing::Test, paceline::EventLoop {
  void SetUp() override {
    auto opened = qps::BrokerServer::open(
        io,
        {.listen = {.host = "127.0.0.1", .port = 0}, .identity = {}, .session = {}, .broker = {}},
        [](const qps::BrokerLine&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    server = *std::move(opened);
    relay.emplace(io, server->address());
  }
  void TearDown() override {
    run.reset();
    drain();
    relay.reset();
    server->stop();
    run_until([] { return paceline::Session::alive() == 0; });
    EXPECT_EQ(paceline::Session::alive(), 0);
  }

  LoadRun& start(double churn = 0, Duration measure = 100ms) {
    run.emplace(io, LoadRunOptions{.each = {.remote = {.address = relay->address(), .trust = {}},
                                            .session = {},
                                            .token = {},
                                            .rate = DataRate::from_bps(100'000),
                                            .items = {.numerator = 30, .denominator = 1},
                                            .window = 100ms},
                                   .plan = *plan_load({.publishers = 1, .subscribers = 4}),
                                   .room = "den",
                                   .warm_up = 0s,
                                   .measure = measure,
                                   .broker_pid = ::getpid(),
                                   .churn = churn});
    run->start();
    return *run;
  }

  std::unique_ptr<qps::BrokerServer> server;
  std::optional<paceline::Relay> relay;
  std::optional<LoadRun> run;
};

// As a broker does whose places for those who greet are taken.
TEST_F(LoadRunTest, WhoIsTurnedAwayComesAgain) {
  LoadRun& load = start();
  bool cut = false;
  ASSERT_TRUE(run_until([&] {
    if (!cut && relay->count() > 3) relay->freeze(3);
    if (!cut && load.report().joined >= 3) {
      relay->reset(3);
      cut = true;
    }
    return load.over();
  }));
  EXPECT_EQ(load.report().joined, 5u);
  EXPECT_EQ(load.report().lost_sessions, 0u);
}

TEST_F(LoadRunTest, EndsWhereNobodyIsReached) {
  relay->refuse(true);
  LoadRun& load = start();
  ASSERT_TRUE(run_until([&] { return load.over(); }));
  EXPECT_EQ(load.report().joined, 0u);
  EXPECT_EQ(load.report().lost_sessions, 5u);
  EXPECT_FALSE(load.report().first_loss.empty());
  EXPECT_FALSE(load.refused());
}

TEST_F(LoadRunTest, CountsASessionThatEndsAfterItsJoin) {
  LoadRun& load = start();
  bool cut = false;
  ASSERT_TRUE(run_until([&] {
    if (!cut && load.report().joined == 5) {
      cut = true;
      server->stop();
    }
    return load.over();
  }));
  EXPECT_EQ(load.report().joined, 5u);
  EXPECT_EQ(load.report().lost_sessions, 5u);
}

TEST_F(LoadRunTest, OthersComeAndGoBeside) {
  LoadRun& load = start(20, 1500ms);
  ASSERT_TRUE(run_until([&] { return load.over(); }));
  const LoadReport report = load.report();
  ASSERT_TRUE(report.churn);
  EXPECT_GT(report.churn->joined, 5);
  EXPECT_EQ(report.churn->lost, 0) << report.churn->first_loss;
  EXPECT_EQ(report.lost_sessions, 0u) << report.first_loss;
  EXPECT_GT(report.memory.size(), 10u);
  EXPECT_TRUE(run_until([&] { return server->broker().clients() == 0; })) << "who came has gone";
}

}  // namespace
}  // namespace qvid::lab
