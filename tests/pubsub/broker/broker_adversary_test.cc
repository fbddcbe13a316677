// Clients that send what is allowed, as much of it and as costly as they can: what it costs, counted
// in what the broker tells and sends, and that those who behave see nothing of it.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/text.h"
#include "pubsub/broker/client_budget.h"
#include "tests/pubsub/broker/broker_fixture.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

class BrokerAdversaryTest : public BrokerTest {
 protected:
  // Turns of the broker's timer, with what is done before each.
  template <class F>
  void turns(int count, F&& each) {
    for (int i = 0; i < count; ++i) {
      each(i);
      broker_.poll(now_ += 100ms);
    }
  }
  std::vector<std::unique_ptr<Party>> viewers(int count) {
    std::vector<std::unique_ptr<Party>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(std::make_unique<Party>(broker_, now_, "viewer " + std::to_string(i), "den",
                                            std::vector<std::string>{kKnowsMembers}));
    }
    return all;
  }
  void best(Party& party, std::uint32_t viewer, const std::string& criteria) {
    party.say(Watch{
        .viewer = viewer, .names = {}, .best = criteria, .seats = 1, .window = 100ms, .track = {}});
  }
};

TEST_F(BrokerAdversaryTest, NewsOfWhoPublishesAndStopsAreMerged) {
  Party eve(broker_, now_, "Eve"), bob(broker_, now_, "Bob");
  const std::size_t before = bob.port.count<Member>();
  turns(100, [&](int) {
    for (int i = 0; i < 10; ++i) {
      eve.publish();
      eve.say(Unpublish{""});
    }
  });
  EXPECT_LE(bob.port.count<Member>() - before, 160u);  // of 2000 in ten seconds
  eve.publish();
  broker_.poll(now_ += 100ms);
  EXPECT_EQ(bob.port.last<Member>()->tracks, std::vector<std::string>{""});
  EXPECT_FALSE(eve.port.closed);
}

TEST_F(BrokerAdversaryTest, WhatARoomIsToldASecondIsBounded) {
  const auto all = viewers(100);
  std::size_t before = 0;
  for (const auto& party : all) before += party->port.control.size();
  turns(20, [&](int i) {
    for (const auto& party : all) party->say(SetAttributes{{{"i", i}}});
  });
  std::size_t told = 0;
  for (const auto& party : all) told += party->port.control.size();
  EXPECT_LE(static_cast<double>(told - before),
            Broker::kNews.burst + 2 * Broker::kNews.per_second + 100);
  // In turns: everybody's last word is told in the end.
  turns(10, [](int) {});
  for (const auto& party : all) {
    EXPECT_GE(party->port.last<Member>()->attributes.at("i"), 18);
  }
}

TEST_F(BrokerAdversaryTest, SeatingsOfARoomAreMerged) {
  Party eve(broker_, now_, "Eve"), bob(broker_, now_, "Bob");
  bob.watch({"Eve"});
  for (int i = 0; i < 90; ++i) {
    eve.publish();
    eve.say(Unpublish{""});
  }
  eve.publish();
  const std::size_t seats = bob.port.count<Seat>();
  EXPECT_LE(seats, 20u);
  // Of what it does not watch.
  eve.say(Unwatch{99});
  EXPECT_EQ(bob.port.count<Seat>(), seats);
  broker_.poll(now_ += 100ms);
  EXPECT_EQ(bob.port.last<Seat>()->name, "Eve");
}

TEST_F(BrokerAdversaryTest, AClientHasFourCriteria) {
  Party ann(broker_, now_, "Ann"), eve(broker_, now_, "Eve");
  ann.publish();
  for (std::uint32_t viewer = 1; viewer <= 6; ++viewer) {
    best(eve, viewer, "ORDER BY loudness DESC");
    now_ += 300ms;
  }
  EXPECT_EQ(eve.port.count<NotWatched>(), 2u);
  EXPECT_EQ(eve.port.last<NotWatched>()->reason, "a client watches by at most four criteria");
  best(eve, 2, "ORDER BY width DESC");  // one of the four anew
  EXPECT_EQ(eve.port.count<NotWatched>(), 2u);
}

TEST_F(BrokerAdversaryTest, CostlyCriteriaComeOutOfTheirClientsBudget) {
  Party eve(broker_, now_, "Eve"), bob(broker_, now_, "Bob");
  const auto publishers = viewers(60);
  for (const auto& party : publishers) party->publish();
  broker_.poll(now_ += 100ms);
  // Some 40,000 steps each time.
  for (std::uint32_t viewer = 1; viewer <= 4; ++viewer) {
    best(eve, viewer,
         "ORDER BY (SELECT count(*) FROM publishers AS a WHERE a.loudness > publishers.loudness "
         "AND length(a.name) > 1 AND abs(a.width) >= 0)");
    now_ += 300ms;
  }
  EXPECT_FALSE(eve.port.last<NotWatched>()) << eve.port.last<NotWatched>()->reason;
  bob.watch({"viewer 7"});
  const std::int64_t before = broker_.stats().criteria_steps;
  turns(50, [&](int i) {
    publishers[static_cast<std::size_t>(i)]->say(SetAttributes{{{"loudness", -i}}});
    publishers[7]->item(i, 0);
    EXPECT_EQ(bob.port.sent.size(), static_cast<std::size_t>(i) + 1);
  });
  const auto steps = static_cast<double>(broker_.stats().criteria_steps - before);
  EXPECT_GT(steps, 500'000);
  EXPECT_LT(steps, 5 * ClientBudget::kWork.per_second + ClientBudget::kWork.burst + 200'000);
}

TEST_F(BrokerAdversaryTest, WhoAsksTooOftenIsSlowedThenClosed) {
  Party eve(broker_, now_, "Eve");
  std::size_t answered = 0;
  int turn = 0;
  while (!eve.port.closed && turn < 300) {
    for (int i = 0; i < 40; ++i) best(eve, 1, "nonsense");
    broker_.poll(now_ += 100ms);
    ++turn;
    if (turn == 50) {
      answered = eve.port.count<NotWatched>();
      EXPECT_FALSE(eve.port.closed);
    }
  }
  EXPECT_LE(answered, 200u + 5u * 200u + 40u);
  EXPECT_GE(answered, 1000u);
  EXPECT_GT(eve.port.holds, 10);
  ASSERT_TRUE(eve.port.closed);
  EXPECT_NE(eve.port.closed->find("more than a client may for 10 s"), std::string::npos)
      << *eve.port.closed;
  EXPECT_EQ(broker_.stats().slowed, 1);
}

TEST_F(BrokerAdversaryTest, WhoAsksTooOftenOnceIsNotClosed) {
  Party eve(broker_, now_, "Eve");
  for (int i = 0; i < 400; ++i) eve.say(SetAttributes{{{"i", i}}});
  EXPECT_EQ(eve.port.holds, 1);
  turns(200, [](int) {});
  EXPECT_FALSE(eve.port.closed);
  Party bob(broker_, now_, "Bob");
  EXPECT_EQ(bob.port.last<Member>()->attributes.at("i"), 399);  // nothing was lost
}

// Tiny fragments, as fast as they come, to many seats.
TEST_F(BrokerAdversaryTest, FragmentsCostTheirPublishersBudget) {
  Party eve(broker_, now_, "Eve"), ann(broker_, now_, "Ann");
  const auto all = viewers(50);
  eve.publish();
  ann.publish();
  for (const auto& party : all) party->watch({"Eve"});
  for (const auto& party : all) party->watch({"Ann"}, 100ms, "", 2);
  std::int64_t item = 0;
  const auto sent = [&] {
    std::size_t n = 0;
    for (const auto& party : all) n += party->port.sent.size();
    return n;
  };
  const auto clear = [&] {
    for (const auto& party : all) party->end_all();
  };
  turns(20, [&](int i) {
    clear();
    for (int k = 0; k < 1500; ++k) eve.item(10 * item++, 0, 1);
    EXPECT_LE(static_cast<double>(sent()), ClientBudget::kWork.burst + 100);
    const std::size_t before = sent();
    ann.item(10 * i, 0);  // goes at once
    EXPECT_EQ(sent() - before, 50u);
  });
  EXPECT_GT(broker_.stats().put_off, 10'000);
  EXPECT_GT(eve.port.holds, 5);
}

// A session that is not read any more cannot bring that much: it is a fault of the transport, or a
// trick.
TEST_F(BrokerAdversaryTest, WhatWaitsIsBounded) {
  Party eve(broker_, now_, "Eve");
  eve.publish();
  for (int i = 0; i < 100'000 && !eve.port.closed; ++i) eve.item(10 * i, 0, 1);
  ASSERT_TRUE(eve.port.closed);
  EXPECT_EQ(*eve.port.closed, "it sends more than the broker can put off");
}

TEST_F(BrokerAdversaryTest, NamesThatAreNotWhatTheyLookLikeAreRefused) {
  Party ann(broker_, now_, "Ann");
  for (const std::string name :
       {"Ann\u200b", "\u200fAnn", "\u202ennA", "A\u0085nn", "Ann\u00a0", "\u3000Ann", "An\u200dn",
        "\ufeffAnn", "\u2066Ann\u2069", "A\u00adnn", "\U000e0041nn", "Ann\xff", "\xc0\x81nn"}) {
    Party eve(broker_, now_, name);
    const auto refused = eve.port.last<JoinRefused>();
    ASSERT_TRUE(refused || eve.port.closed) << qvid::printable(name);
    EXPECT_FALSE(eve.port.last<Joined>());
  }
  EXPECT_EQ(ann.port.count<Member>(), 0u);
  // Of all scripts.
  for (const std::string name :
       {"Zoë", "山田　太郎", "می‌خواهم", "अ‍र", "Ann B", "O'Neil 👍"}) {
    Party good(broker_, now_, name);
    EXPECT_TRUE(good.port.last<Joined>()) << name;
  }
}

TEST_F(BrokerAdversaryTest, WhoRecordsCannotHideIt) {
  Party ann(broker_, now_, "Ann");
  FakePort port;
  Broker::Client* eve = broker_.connect(port, "Eve's address");
  const auto say = [&](const ToBroker& message) {
    broker_.on_message(eve,
                       {.stream = paceline::kFirstStream,
                        .importance = {},
                        .position = {},
                        .payload = Payload::copy_of(std::string_view(serialise(message)))},
                       now_);
  };
  say(Join{.room = "den", .name = "Eve", .token = {}, .attributes = {{"recording", true}}});
  EXPECT_EQ(ann.port.last<Member>()->attributes, nlohmann::json({{"recording", true}}));
  for (const nlohmann::json& set :
       {nlohmann::json{{"recording", false}}, nlohmann::json{{"recording", nullptr}, {"i", 1}}}) {
    say(SetAttributes{set});
    broker_.poll(now_ += 100ms);
    EXPECT_EQ(ann.port.last<Member>()->attributes.at("recording"), true);
  }
  EXPECT_EQ(ann.port.last<Member>()->attributes.at("i"), 1);
  // Nor does one who joined without it begin to.
  ann.say(SetAttributes{{{"recording", true}, {"i", 2}}});
  Party bob(broker_, now_, "Bob");
  EXPECT_FALSE(bob.port.last<Member>()->attributes.contains("recording") &&
               bob.port.last<Member>()->name == "Ann");
  broker_.disconnect(eve, "the test is over", now_);
}

// Fifty people who all see and hear each other, whose levels change all the time.
TEST_F(BrokerAdversaryTest, AnHonestRoomIsNeverSlowed) {
  const auto all = viewers(50);
  std::vector<std::string> names;
  for (const auto& party : all) {
    party->publish(2);
    party->publish(4, "sound");
    names.push_back(party->client != nullptr ? party->port.last<Joined>()->name : "");
    broker_.poll(now_ += 100ms);
  }
  for (const auto& party : all) {
    const auto seats = static_cast<int>(names.size());
    party->say(
        Watch{.viewer = 1, .names = names, .best = {}, .seats = seats, .window = 1s, .track = {}});
    party->say(Watch{
        .viewer = 2, .names = names, .best = {}, .seats = seats, .window = 1s, .track = "sound"});
  }
  for (int i = 0; i < 10; ++i) {
    for (const auto& party : all) {
      for (int k = 0; k < 3; ++k) {
        party->item(3 * i + k, 0);
        party->item(3 * i + k, 1);
      }
      for (int k = 0; k < 5; ++k) party->item(10 * (5 * i + k), 0, 100, 4);
      party->say(SetAttributes{{{"loudness", -i}}});
      // Somebody scrolls.
      party->say(Watch{.viewer = 1,
                       .names = names,
                       .best = {},
                       .seats = static_cast<int>(names.size()),
                       .window = 1s + i * 1ms,
                       .track = {}});
    }
    for (const auto& party : all) party->end_all();
    broker_.poll(now_ += 100ms);
  }
  EXPECT_EQ(broker_.stats().slowed, 0);
  EXPECT_EQ(broker_.stats().faults, 0);
}

}  // namespace
}  // namespace qps
