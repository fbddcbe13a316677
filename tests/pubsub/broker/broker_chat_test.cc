// What members of a room say to each other: who is told, what is kept, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "pubsub/broker/chat_history.h"
#include "pubsub/wire/control_message.h"
#include "tests/pubsub/broker/broker_fixture.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> kChat{kKnowsChat};

class BrokerChatTest : public BrokerTest {
 protected:
  struct Chatter : Party {
    Chatter(BrokerChatTest& test, const std::string& name)
        : Party(test.broker_, test.now_, name, "den", kChat) {}
  };
  static std::vector<std::string> texts(const Party& party) {
    std::vector<std::string> all;
    for (const FromBroker& told : party.port.told) {
      if (const auto* said = std::get_if<Said>(&told)) {
        all.push_back(said->from + (said->to.empty() ? "" : " to " + said->to) + ": " + said->text);
      }
    }
    return all;
  }
  static bool is_offered_chat(const Party& party) {
    const auto joined = party.port.last<Joined>();
    return joined && std::ranges::find(joined->knows, kKnowsChat) != joined->knows.end();
  }
  static std::string refusal(const Party& party) {
    const auto told = party.port.last<NotSaid>();
    return told ? told->reason : "";
  }
};
using Texts = std::vector<std::string>;

TEST_F(BrokerChatTest, WhatIsSaidToAllIsToldToAllWhoKnowIt) {
  Chatter ann(*this, "Ann"), bob(*this, "Bob");
  Party old(broker_, now_, "old");
  EXPECT_TRUE(is_offered_chat(ann));
  ann.say(Say{"Hello!"});
  now_ += 5s;
  bob.say(Say{"Hi \"Ann\"\n\tand\u202e others \xf0\x9f\x98\x80 "});
  const Texts both{"Ann: Hello!", "Bob: Hi \"Ann\"  and others \xf0\x9f\x98\x80"};
  EXPECT_EQ(texts(ann), both);
  EXPECT_EQ(texts(bob), both);
  EXPECT_EQ(old.port.count<Said>(), 0u) << "it would close the session for that";
  EXPECT_EQ(bob.port.last<Said>()->number, 2);
  EXPECT_EQ(bob.port.last<Said>()->ago, 0s);
  EXPECT_EQ(broker_.stats().said, 2);
}

TEST_F(BrokerChatTest, WhatIsSaidToOneIsForThatOne) {
  Chatter ann(*this, "Ann"), bob(*this, "Bob"), cid(*this, "Cid");
  Party old(broker_, now_, "old");
  ann.say(Say{"psst", "Bob"});
  EXPECT_EQ(texts(bob), Texts{"Ann to Bob: psst"});
  EXPECT_EQ(texts(ann), Texts{"Ann to Bob: psst"});
  EXPECT_EQ(bob.port.last<Said>()->number, 0);
  EXPECT_EQ(texts(cid), Texts{});
  ann.say(Say{"who?", "Dan"});
  EXPECT_EQ(refusal(ann), "there is no 'Dan' in this room");
  ann.say(Say{"and you?", "old"});
  EXPECT_EQ(refusal(ann), "'old' is told no messages");
  // Nor is it kept for who comes under that name.
  bob.leave("gone");
  Chatter another(*this, "Bob");
  EXPECT_EQ(texts(another), Texts{});
}

TEST_F(BrokerChatTest, WhoComesLaterIsToldWhatWasSaid) {
  Chatter ann(*this, "Ann");
  ann.say(Say{"first"});
  now_ += 90s;
  ann.say(Say{"second"});
  now_ += 1s;
  Chatter bob(*this, "Bob");
  EXPECT_EQ(texts(bob), (Texts{"Ann: first", "Ann: second"}));
  const auto& first = std::get<Said>(bob.port.told[bob.port.told.size() - 2]);
  EXPECT_EQ(first.ago, 91s);
  EXPECT_EQ(first.number, 1);
  Party other_room(broker_, now_, "Eve", "attic", kChat);
  EXPECT_EQ(other_room.port.count<Said>(), 0u);
}

TEST_F(BrokerChatTest, AsMuchIsKeptAsTheOptionsAndTheBoundSay) {
  BrokerOptions options;
  options.chat_kept = 3;
  broker_.set_options(options);
  Chatter ann(*this, "Ann");
  const auto say = [&](const std::string& text) {
    ann.say(Say{text});
    broker_.poll(now_ += 2s);
  };
  for (int i = 0; i < 5; ++i) say(std::to_string(i));
  EXPECT_EQ(texts(Chatter(*this, "Bob")), (Texts{"Ann: 2", "Ann: 3", "Ann: 4"}));
  options.chat_kept = 1000;
  broker_.set_options(options);
  for (int i = 0; i < 50; ++i) say(std::string(kMaxChatText, 'x'));
  Chatter cid(*this, "Cid");
  EXPECT_EQ(cid.port.count<Said>(), ChatHistory::kMaxBytes / kMaxChatText);
  EXPECT_EQ(cid.port.last<Said>()->number, 55);
  options.chat_kept = 0;
  broker_.set_options(options);
  say("not kept");
  EXPECT_EQ(Chatter(*this, "Dan").port.count<Said>(), 0u);
}

TEST_F(BrokerChatTest, WithoutChatItIsSaidSo) {
  broker_.set_options({.chat = false});
  Chatter ann(*this, "Ann");
  EXPECT_FALSE(is_offered_chat(ann));
  ann.say(Say{"hello?"});
  EXPECT_EQ(refusal(ann), "this broker has no chat");
  EXPECT_FALSE(ann.port.closed);
}

TEST_F(BrokerChatTest, RightsHoldForChat) {
  broker_.set_options({.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
    return Rights{.publish = join.name != "ear", .subscribe = join.name != "mouth"};
  }});
  Chatter ear(*this, "ear"), mouth(*this, "mouth");
  ear.say(Say{"may I?"});
  EXPECT_EQ(refusal(ear), "your token gives no right to say something here");
  mouth.say(Say{"hear me"});
  EXPECT_EQ(texts(ear), Texts{"mouth: hear me"});
  EXPECT_EQ(texts(mouth), Texts{});
  EXPECT_FALSE(ear.port.closed);
}

TEST_F(BrokerChatTest, AnEmptyOneIsRefusedALongOneCloses) {
  Chatter ann(*this, "Ann");
  ann.say(Say{"\u200b \u2066\r\n"});
  EXPECT_EQ(refusal(ann), "there is nothing in it that could be read");
  ann.say(Say{std::string(kMaxChatText, 'x')});
  EXPECT_FALSE(ann.port.closed);
  ann.say(Say{std::string(kMaxChatText + 1, 'x')});
  EXPECT_TRUE(ann.port.closed);
  Party before(broker_, now_, "before");
  before.say(Say{"a program may say it, and not hear it"});
  EXPECT_FALSE(before.port.closed);
}

// An attack: as much as one may, by many at once.
TEST_F(BrokerChatTest, AFloodIsBoundedAndHoldsUpNothing) {
  Chatter witness(*this, "witness");
  Party source(broker_, now_, "source");
  source.publish();
  witness.watch({"source"});
  const auto stream = witness.seat_stream();
  std::vector<std::unique_ptr<Chatter>> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(std::make_unique<Chatter>(*this, std::to_string(i)));
  std::size_t before = witness.port.count<Said>();
  for (int turn = 0; turn < 100; ++turn) {
    for (const auto& each : crowd) {
      for (int i = 0; i < 10; ++i) each->say(Say{std::string(kMaxChatText, 'x')});
    }
    source.item(turn);
    ASSERT_EQ(witness.got(stream).size(), static_cast<std::size_t>(turn + 1))
        << "at once, whatever is said";
    witness.read_control();
    broker_.poll(now_ += 100ms);
  }
  // Of 20,000 in ten seconds each may say some 20; and each is told so.
  EXPECT_LE(witness.port.count<Said>() - before, 20u * 21u);
  EXPECT_GT(witness.port.count<Said>() - before, 20u * 10u);
  EXPECT_NE(refusal(*crowd[0]), "");
  EXPECT_FALSE(witness.port.closed);
}

// What is chat goes behind sound and every picture's base, and of one who does not read it is lost
// rather than kept.
TEST_F(BrokerChatTest, WhoDoesNotReadLosesChatAndNothingElse) {
  Chatter ann(*this, "Ann"), bob(*this, "Bob");
  for (int i = 0; i < 500; ++i) {
    ann.say(Say{std::string(kMaxChatText, 'x')});
    ann.read_control();
    broker_.poll(now_ += 2s);
  }
  ByteCount waiting;
  for (const auto& told : bob.port.control) {
    if (told.message.importance != paceline::Importance(kChatImportance)) continue;
    waiting += told.message.payload.byte_count();
  }
  EXPECT_LE(waiting, Broker::kMaxChatWaiting);
  EXPECT_GT(waiting, Broker::kMaxChatWaiting - ByteCount(4000));
  EXPECT_GT(broker_.stats().chat_lost, 300);
  EXPECT_FALSE(bob.port.closed);
  const auto last = bob.port.last<Said>()->number;
  bob.read_control();
  ann.say(Say{"again"});
  EXPECT_EQ(bob.port.last<Said>()->text, "again");
  EXPECT_GT(bob.port.last<Said>()->number, last + 300) << "the numbers tell of the gap";
}

}  // namespace
}  // namespace qps
