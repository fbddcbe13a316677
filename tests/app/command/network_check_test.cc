// Shows what is said of the way to a room before one joins.
#include "app/command/network_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>

namespace qvid::app {
namespace {

CheckStep connected(int ms) {
  return {.name = "tcp", .took = std::chrono::milliseconds(ms), .text = "", .advice = {}};
}

TEST(NetworkCheck, SaysHowFarItIs) {
  const CheckStep name{.name = "name", .text = "host: 10.0.0.1", .advice = {}};
  EXPECT_EQ(network_view({name, connected(31), connected(24)}),
            (NetworkView{.text = "The network works: 24 ms there and back."}));
  EXPECT_EQ(network_view({connected(300)}),
            (NetworkView{.text = "The network is slow: 300 ms there and back.", .trouble = true}));
}

TEST(NetworkCheck, SaysWhatFailedAndWhatToDo) {
  const CheckStep name{.name = "name", .text = "host: 10.0.0.1", .advice = {}};
  const CheckStep tcp{.name = "tcp",
                      .state = CheckStep::State::failed,
                      .text = "10.0.0.1:7400: refused",
                      .advice = "is the server running?"};
  EXPECT_EQ(network_view({name, tcp}),
            (NetworkView{.text = "Not reached: 10.0.0.1:7400: refused; is the server running?",
                         .trouble = true}));
  EXPECT_EQ(network_view({name}), NetworkView());
}

// One address of two that does not answer is no trouble of who joins.
TEST(NetworkCheck, WhatWorksInTheEndWorks) {
  const CheckStep tcp{.name = "tcp", .state = CheckStep::State::failed, .text = "x", .advice = {}};
  EXPECT_FALSE(network_view({tcp, connected(5)}).trouble);
}

TEST(NetworkCheck, WakesTheWindowWhenItIsKnown) {
  std::promise<void> woken;
  NetworkCheck check("qvid://127.0.0.1:1/den", "direct", [&] { woken.set_value(); });
  ASSERT_EQ(woken.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_TRUE(check.view().trouble);
  EXPECT_TRUE(check.view().text.starts_with("Not reached: ")) << check.view().text;
}

}  // namespace
}  // namespace qvid::app
