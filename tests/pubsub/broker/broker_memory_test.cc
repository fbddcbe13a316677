// What all clients of a broker hold together is bounded: who comes has to wait, and who holds the most
// goes.
#include <gtest/gtest.h>

#include "tests/pubsub/broker_party.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using qvid::operator""_MiB;

class BrokerMemoryTest : public testing::Test {
 protected:
  static constexpr ByteCount kMost{100'000'000};

  void turn() { broker_.poll(now_ += 100ms); }
  std::int64_t refused() const {
    return broker_.stats().refusals[static_cast<std::size_t>(Refusal::kMemory)];
  }

  ByteCount held_;
  Timestamp now_ = kBegin;
  std::optional<ByteCount> left_;
  Broker broker_{{.max_memory = kMost,
                  .memory = [this] { return held_; },
                  .memory_left = [this] { return left_; }}};
};

TEST_F(BrokerMemoryTest, NewcomersWaitWhenItRunsShort) {
  Party ann(broker_, now_, "Ann");
  held_ = ByteCount(kMost.value() * 3 / 4);
  turn();
  Party bob(broker_, now_, "Bob");
  EXPECT_FALSE(bob.port.last<Joined>());
  ASSERT_TRUE(bob.port.last<Moving>()) << "it is to come back by itself";
  EXPECT_EQ(refused(), 1);
  EXPECT_EQ(broker_.stats().refused(), 1);
  EXPECT_EQ(broker_.counts().memory, held_);
  EXPECT_EQ(broker_.counts().max_memory, kMost);
  EXPECT_FALSE(ann.port.closed);
  held_ = ByteCount(kMost.value() / 2);
  turn();
  Party cid(broker_, now_, "Cid");
  EXPECT_TRUE(cid.port.last<Joined>());
}

// Its machine has less for it than its configuration: then nobody more comes in, and nobody is closed.
TEST_F(BrokerMemoryTest, NewcomersWaitWhereTheMachineHasNoMore) {
  Party ann(broker_, now_, "Ann");
  ann.port.unsent = 3_MiB;
  held_ = 6_MiB;
  left_ = Broker::kMemoryToSpare;
  turn();
  EXPECT_EQ(broker_.counts().memory_allowed, held_ + *left_ - Broker::kLastMemory);
  Party bob(broker_, now_, "Bob");
  EXPECT_TRUE(bob.port.last<Joined>());
  left_ = Broker::kMemoryToSpare - 1_MiB;
  turn();
  EXPECT_GT(broker_.counts().memory_allowed, held_) << "for those who are in there is some";
  Party cid(broker_, now_, "Cid");
  EXPECT_FALSE(cid.port.last<Joined>());
  EXPECT_TRUE(cid.port.last<Moving>());
  EXPECT_EQ(refused(), 1);
  left_ = Broker::kLastMemory;
  turn();
  EXPECT_EQ(broker_.counts().memory_allowed, held_) << "no message more";
  held_ = 1_MiB;
  turn();
  EXPECT_EQ(broker_.counts().memory_allowed, Broker::kLeastForMessages)
      << "it does not end for good";
  EXPECT_FALSE(ann.port.closed);
  EXPECT_EQ(broker_.stats().hoarders, 0);
  left_ = Broker::kMemoryToSpare * 10;
  turn();
  EXPECT_EQ(broker_.counts().memory_allowed, kMost);
  Party dan(broker_, now_, "Dan");
  EXPECT_TRUE(dan.port.last<Joined>());
}

TEST_F(BrokerMemoryTest, WhoHoldsTheMostGoes) {
  Party ann(broker_, now_, "Ann"), bob(broker_, now_, "Bob"), eve(broker_, now_, "Eve");
  ann.port.unsent = 1_MiB;
  bob.port.unsent = 3_MiB;
  eve.port.unsent = 8_MiB;
  held_ = kMost;
  turn();
  EXPECT_FALSE(eve.port.closed);
  held_ = kMost + 9_MiB;
  turn();
  ASSERT_TRUE(eve.port.closed);
  EXPECT_NE(eve.port.closed->find("held the most"), std::string::npos) << *eve.port.closed;
  EXPECT_TRUE(bob.port.closed) << "what Eve held was not enough";
  EXPECT_FALSE(ann.port.closed);
  EXPECT_EQ(broker_.stats().hoarders, 2);
  turn();
  EXPECT_TRUE(ann.port.closed) << "nor was what Bob held";
}

TEST_F(BrokerMemoryTest, BeyondItItemsAreGivenUp) {
  Party ann(broker_, now_, "Ann"), bob(broker_, now_, "Bob");
  ann.publish();
  bob.watch({"Ann"});
  ann.item(0);
  EXPECT_EQ(bob.port.sent.size(), 1u);
  held_ = kMost;
  ann.item(1);
  EXPECT_EQ(bob.port.sent.size(), 1u);
  EXPECT_EQ(broker_.stats().items_without_memory, 1);
  held_ = {};
  ann.item(10);
  EXPECT_EQ(bob.port.sent.size(), 2u);
  EXPECT_FALSE(ann.port.closed);
}

// As long as it has shown nothing it may have little under way (Port::let_in).
TEST(BrokerStrangers, AreLetInByWhatTheyMayDo) {
  Timestamp now = kBegin;
  BrokerOptions options;
  options.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
    if (join.token != "good") return Error{"a wrong token"};
    return Rights{};
  };
  Broker broker(options);
  FakePort port;
  Broker::Client* eve = broker.connect(port, "Eve's address");
  const auto join = [&](const std::string& token) {
    broker.on_message(eve,
                      {.stream = paceline::kFirstStream,
                       .importance = {},
                       .position = {},
                       .payload = Payload::copy_of(std::string_view(
                           serialise(Join{.room = "den", .name = "Eve", .token = token})))},
                      now);
  };
  join("bad");
  EXPECT_FALSE(port.is_let_in);
  join("good");
  EXPECT_TRUE(port.is_let_in);
  EXPECT_TRUE(port.last<Joined>());
  broker.disconnect(eve, "the test is over", now);
}

}  // namespace
}  // namespace qps
