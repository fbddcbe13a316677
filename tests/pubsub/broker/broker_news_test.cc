// What members are told of each other where many come: in few messages, and all of it in the end; and
// by whom who knows of no such messages is told the same.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/pubsub/broker/broker_fixture.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

class BrokerNewsTest : public BrokerTest {
 protected:
  using Parties = std::vector<std::unique_ptr<Party>>;

  Party& join(Parties& all, std::vector<std::string> knows) {
    const std::string name = "member " + std::to_string(all.size());
    all.push_back(std::make_unique<Party>(broker_, now_, name, "den", std::move(knows)));
    return *all.back();
  }
  Parties room(int count) {
    Parties all;
    for (int i = 0; i < count; ++i) join(all, {kKnowsMembers});
    return all;
  }
  static std::set<std::string> known_to(const Party& party) {
    std::set<std::string> names;
    for (const FromBroker& told : party.port.told) {
      if (const auto* member = std::get_if<Member>(&told)) names.insert(member->name);
    }
    return names;
  }
};

// One message for a member each would be 62,250 of them.
TEST_F(BrokerNewsTest, ARoomThatComesBackIsToldOfItselfInFewMessages) {
  constexpr std::size_t kMembers = 250;
  Parties all;
  for (std::size_t i = 0; i < kMembers; ++i) {
    join(all, {kKnowsMembers});
    if (i % 5 == 4) broker_.poll(now_ += 100ms);  // fifty a second
  }
  for (int i = 0; i < 50; ++i) broker_.poll(now_ += 100ms);
  std::size_t messages = 0;
  for (const auto& party : all) {
    messages += party->port.control.size();
    std::set<std::string> known = known_to(*party);
    known.insert(party->port.last<Joined>()->name);
    EXPECT_EQ(known.size(), kMembers);
  }
  const double told = Broker::kNews.burst + 10 * Broker::kNews.per_second;
  EXPECT_LE(static_cast<double>(messages), told + 5 * kMembers);
}

TEST_F(BrokerNewsTest, WhoComesIsToldOfAllAtOnceAndThenThatThisIsAll) {
  Parties all = room(200);
  const Party& last = join(all, {kKnowsMembers});
  EXPECT_EQ(known_to(last).size(), 200u);
  EXPECT_EQ(last.port.count<Listed>(), 1u);
  EXPECT_TRUE(std::holds_alternative<Listed>(last.port.told.back()));
  EXPECT_LE(last.port.control.size(), 5u);  // joined, listed, and what 200 of them fill
}

TEST_F(BrokerNewsTest, WhoKnowsOfNoListsIsToldOfEachByItself) {
  Parties all = room(100);  // which uses up what is told at once
  Party& old = join(all, {});
  EXPECT_EQ(known_to(old).size(), 100u);
  for (const auto& told : old.port.control) {
    EXPECT_EQ(told.message.payload.text().find("\"members\""), std::string::npos);
  }
  join(all, {kKnowsMembers});
  EXPECT_FALSE(known_to(old).contains("member 101")) << "not at once any more";
  for (int i = 0; i < 50; ++i) broker_.poll(now_ += 100ms);
  EXPECT_TRUE(known_to(old).contains("member 101"));
  EXPECT_FALSE(known_to(old).contains("member 100")) << "that is itself";
  for (const auto& told : old.port.control) {
    EXPECT_EQ(told.message.payload.text().find("\"members\""), std::string::npos);
  }
}

// Of a member with all that it may have; each message is one that a client takes.
TEST_F(BrokerNewsTest, TheLargestMembersFillMessagesOfTheirSize) {
  Parties all = room(40);
  for (const auto& party : all) {
    party->say(SetAttributes{{{"x", std::string(1000, 'x')}}});
  }
  for (int i = 0; i < 100; ++i) broker_.poll(now_ += 100ms);
  for (const auto& party : all) {
    EXPECT_EQ(known_to(*party).size(), 40u);
    EXPECT_EQ(party->port.last<Member>()->attributes.at("x").get<std::string>().size(), 1000u);
    EXPECT_FALSE(party->port.closed);
  }
  const Party& last = join(all, {kKnowsMembers});
  EXPECT_EQ(known_to(last).size(), 40u);
  for (const auto& told : last.port.control) {
    EXPECT_TRUE(parse_from_broker(told.message.payload.text()));
  }
}

// Two writings of what looks the same are one name, for whoever says it.
TEST_F(BrokerNewsTest, ANameHasOneForm) {
  const std::string composed = "Zo\xc3\xab", decomposed = "Zoe\xcc\x88";
  Party zoe(broker_, now_, decomposed);
  EXPECT_EQ(zoe.port.last<Joined>()->name, composed);
  Party other(broker_, now_, composed);
  ASSERT_TRUE(other.port.last<JoinRefused>());
  EXPECT_NE(other.port.last<JoinRefused>()->reason.find("taken"), std::string::npos);
  zoe.publish();
  Party bob(broker_, now_, "Bob");
  bob.watch({decomposed});
  EXPECT_EQ(bob.port.last<Seat>()->name, composed);
  EXPECT_TRUE(broker_.kick("den", composed, "loud", now_));
}

}  // namespace
}  // namespace qps
