// Who somebody is: whether a name is had by whom it was, and by whom tokens would let in still.
#include <gtest/gtest.h>

#include "pubsub/broker/former_names.h"
#include "tests/pubsub/broker_party.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

class BrokerIdentityTest : public testing::Test {
 protected:
  // A member with that token and secret.
  struct Guest {
    Guest(BrokerIdentityTest& t, const std::string& name, const std::string& token,
          const std::string& self)
        : test(t), client(t.broker_.connect(port, name + "'s address")) {
      const std::string join = serialise(Join{.room = "den",
                                              .name = name,
                                              .token = token,
                                              .attributes = nlohmann::json::object(),
                                              .self = self});
      test.broker_.on_message(client,
                              {.stream = paceline::kFirstStream,
                               .importance = {},
                               .position = {},
                               .payload = Payload::copy_of(std::string_view(join))},
                              test.now_);
    }
    ~Guest() { test.broker_.disconnect(client, "the test is over", test.now_); }

    BrokerIdentityTest& test;
    FakePort port;
    Broker::Client* client;
  };
  BrokerOptions options() {
    return {.authorise = [this](const Join& join, const Origin&) -> Result<Rights> {
      if (join.token.empty()) return Error{"a token is wanted"};
      if (refused_ == join.token) return Error{"the token has been called back"};
      return Rights{.own_name = join.token == "own", .valid_for = 1h};
    }};
  }
  // What the others are told of who comes as Ann.
  bool is_other(const std::string& self, const std::string& token = "any") {
    const std::size_t before = bob_.port.count<Member>();
    const Guest ann(*this, "Ann", token, self);
    EXPECT_EQ(bob_.port.count<Member>(), before + 1);
    return bob_.port.last<Member>()->other;
  }

  std::string refused_;
  Timestamp now_ = kBegin;
  Broker broker_{options()};
  Guest bob_{*this, "Bob", "any", "b"};
};

TEST_F(BrokerIdentityTest, MembersAreToldWhenANameWasTakenByAnother) {
  EXPECT_FALSE(is_other("a")) << "nobody had it before";
  EXPECT_FALSE(is_other("a"));
  EXPECT_TRUE(is_other("e"));
  EXPECT_TRUE(is_other("")) << "who says nothing";
  EXPECT_FALSE(is_other("")) << "of whom nothing is known";
  EXPECT_TRUE(is_other("a"));
}

TEST_F(BrokerIdentityTest, ATokenForTheNameIsItsOwner) {
  EXPECT_FALSE(is_other("a", "own"));
  EXPECT_FALSE(is_other("from elsewhere", "own"));
  EXPECT_TRUE(is_other("token"));
  EXPECT_TRUE(is_other("a", "own"));
}

TEST(FormerNames, AreBounded) {
  FormerNames names;
  for (std::size_t i = 0; i <= FormerNames::kMost; ++i) names.left(std::to_string(i), "a");
  EXPECT_FALSE(names.is_other("0", "e")) << "the oldest is forgotten";
  EXPECT_TRUE(names.is_other("1", "e"));
  names.left("1", "e");
  EXPECT_FALSE(names.is_other("1", "e"));
  EXPECT_TRUE(names.is_other("2", "e"));
}

TEST_F(BrokerIdentityTest, WhoWouldBeRefusedNowIsPutOut) {
  Guest ann(*this, "Ann", "lost", "a");
  ASSERT_TRUE(ann.port.last<Joined>());
  broker_.judge_again(now_);
  EXPECT_FALSE(ann.port.last<Removed>());
  refused_ = "lost";
  EXPECT_FALSE(ann.port.last<Removed>()) << "not by itself";
  broker_.judge_again(now_);
  ASSERT_TRUE(ann.port.last<Removed>());
  EXPECT_EQ(ann.port.last<Removed>()->reason, "the token has been called back");
  EXPECT_EQ(bob_.port.last<Left>()->name, "Ann");
  broker_.poll(now_ += Broker::kFarewell);
  EXPECT_TRUE(ann.port.closed);
  EXPECT_FALSE(bob_.port.closed);
  EXPECT_EQ(broker_.stats().removed, 1);
}

}  // namespace
}  // namespace qps
