// Shows who may administer a broker and what comes of it, and how a member is removed.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "pubsub/broker/broker.h"
#include "tests/pubsub/fake_port.h"

namespace qps {
namespace {

using namespace std::chrono_literals;
using enum AdminAction;

struct Guest {
  Guest(Broker& to, Timestamp& clock, bool loopback = false)
      : broker(to), now(clock), client(broker.connect(port, "192.0.2.1:7", loopback)) {}
  Guest(Broker& to, Timestamp& clock, const std::string& name, const std::string& token)
      : Guest(to, clock) {
    say(Join{.room = "den", .name = name, .token = token});
  }
  ~Guest() { broker.disconnect(client, "the test is over", now); }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  void say(const ToBroker& message) {
    broker.on_message(client,
                      {.stream = paceline::kFirstStream,
                       .importance = {},
                       .position = {},
                       .payload = Payload::copy_of(std::string_view(serialise(message)))},
                      now);
  }
  // What is answered to that; a name is what the next page begins behind, or who is kicked.
  Answer ask(AdminAction action, const std::string& room = {}, const std::string& name = {},
             const std::string& token = {}) {
    const bool kicks = action == kKick;
    const auto before = port.count<Answer>();
    say(Admin{.action = action,
              .token = token,
              .room = room,
              .name = kicks ? name : "",
              .reason = kicks ? "loud" : "",
              .after = kicks ? "" : name});
    if (port.count<Answer>() == before) return {.action = action, .error = "no answer"};
    return *port.last<Answer>();
  }

  Broker& broker;
  Timestamp& now;
  FakePort port;
  Broker::Client* client;
};

class BrokerAdminTest : public ::testing::Test {
 protected:
  // Tokens are words: "admin", "den admin", "10 s", "guest".
  static BrokerOptions with_tokens() {
    BrokerOptions options;
    options.authorise = [](const Join& join, const Origin&) -> Result<Rights> {
      if (join.token == "admin") return Rights{.admin = true};
      if (join.token == "den admin") return Rights{.admin = true, .admin_room = "den"};
      if (join.token == "10 s") return Rights{.admin = true, .valid_for = 10s};
      if (join.token == "guest") return Rights{};
      return qvid::Error{"a wrong token"};
    };
    return options;
  }
  Timestamp now_ = kBegin;
  Broker broker_{with_tokens()};
};

TEST_F(BrokerAdminTest, WhoHasTheRightSeesRoomsAndMembers) {
  Guest ann(broker_, now_, "Ann", "guest");
  Guest bob(broker_, now_, "Bob", "guest");
  ann.say(Publish{.stream = 2, .about = ""});
  bob.say(Watch{.viewer = 1, .names = {"Ann"}, .best = {}, .seats = 1, .window = {}});
  now_ += 5s;
  Guest admin(broker_, now_);
  const Answer rooms = admin.ask(kRooms, "", "", "admin");
  EXPECT_EQ(rooms.error, "");
  EXPECT_EQ(rooms.data,
            nlohmann::json({{"rooms", {{{"room", "den"}, {"members", 2}, {"publishing", 1}}}},
                            {"more", false}}));
  const Answer members = admin.ask(kRooms, "den");  // the token is said once
  ASSERT_EQ(members.data["members"].size(), 2u) << members.error;
  EXPECT_EQ(members.data["members"][0], nlohmann::json({{"name", "Ann"},
                                                        {"address", "192.0.2.1:7"},
                                                        {"publishes", true},
                                                        {"tracks", {""}},
                                                        {"seats", 0},
                                                        {"seconds", 5}}));
  EXPECT_EQ(members.data["members"][1]["seats"], 1);
  EXPECT_EQ(admin.ask(kRooms, "attic").error, "there is no room 'attic'");
  const Answer stats = admin.ask(kStats);
  EXPECT_EQ(stats.data["joined"], 2);
  EXPECT_EQ(stats.data["rooms"], 1);
  EXPECT_EQ(stats.data["clients"], 3);
}

TEST_F(BrokerAdminTest, ByHttpItIsTheSameAndByTheToken) {
  Guest ann(broker_, now_, "Ann", "guest");
  const Origin origin{.who = "192.0.2.9:7", .loopback = true};
  const auto ask = [&](AdminAction action, const std::string& token, const std::string& room = {},
                       const std::string& name = {}) {
    return broker_.administer({.action = action,
                               .token = token,
                               .room = room,
                               .name = name,
                               .reason = "loud",
                               .after = {}},
                              origin, now_);
  };
  EXPECT_EQ(ask(kRooms, "guess").error().message, "a wrong token");
  EXPECT_EQ(ask(kRooms, "").error().message, "a wrong token")
      << "where there are tokens, the own machine has no right without one";
  EXPECT_EQ(ask(kRooms, "guest").error().message, "your token gives no right to administer");
  EXPECT_EQ(broker_.stats().wrong_tokens, 2);
  const auto rooms = ask(kRooms, "admin");
  ASSERT_TRUE(rooms);
  EXPECT_EQ(rooms->data["rooms"].size(), 1u);
  EXPECT_EQ(ask(kKick, "den admin", "attic", "Ann")->error, "the token is for the room 'den' only");
  EXPECT_EQ(ask(kKick, "den admin", "den", "Bob")->error, "there is no 'Bob' in a room 'den'");
  EXPECT_EQ(ask(kKick, "den admin", "den", "Ann")->error, "");
  EXPECT_EQ(ann.port.count<Removed>(), 1u);
}

TEST_F(BrokerAdminTest, LongListsComeInPages) {
  std::vector<std::unique_ptr<Guest>> guests;
  for (int i = 100; i < 200; ++i) {
    // Names that grow most when they are written.
    guests.push_back(
        std::make_unique<Guest>(broker_, now_, std::to_string(i) + std::string(61, '"'), "guest"));
    for (std::uint32_t track = 0; track < kMaxTracks; ++track) {
      guests.back()->say(Publish{.stream = 2 + 2 * track,
                                 .about = "",
                                 .track = "track-number-00" + std::to_string(track)});
    }
  }
  Guest admin(broker_, now_);
  std::size_t seen = 0;
  std::string after;
  Answer page;
  do {
    page = admin.ask(kRooms, "den", after, "admin");
    ASSERT_EQ(page.error, "");
    ASSERT_FALSE(page.data["members"].empty());
    seen += page.data["members"].size();
    after = page.data["members"].back()["name"];
  } while (page.data["more"] == true);
  EXPECT_EQ(seen, 100u);
}

TEST_F(BrokerAdminTest, OthersAreRefused) {
  Guest ann(broker_, now_, "Ann", "guest");
  EXPECT_EQ(ann.ask(kRooms).error, "no answer");
  EXPECT_NE(ann.port.last<JoinRefused>()->reason.find("no right to administer"), std::string::npos);
  ann.ask(kRooms, "", "", "admin");  // a member's right is that of the token it has joined by
  EXPECT_EQ(ann.port.count<Answer>(), 0u);
  EXPECT_EQ(broker_.stats().refused(), 2);
  Guest wrong(broker_, now_);
  for (int i = 0; i < Broker::kMostRefusals; ++i) {
    EXPECT_FALSE(wrong.port.closed);
    wrong.ask(kKick, "den", "Ann", "guess");
  }
  EXPECT_EQ(wrong.port.last<JoinRefused>()->reason, "a wrong token");
  EXPECT_TRUE(wrong.port.closed);
  EXPECT_EQ(broker_.stats().wrong_tokens, Broker::kMostRefusals);
  EXPECT_FALSE(ann.port.last<Removed>());
}

TEST_F(BrokerAdminTest, TheRightOfOneRoomEndsThere) {
  Guest ann(broker_, now_, "Ann", "guest");
  Guest other(broker_, now_);
  other.say(Join{.room = "attic", .name = "Olga", .token = "guest"});
  Guest admin(broker_, now_);
  EXPECT_EQ(admin.ask(kRooms, "", "", "den admin").data["rooms"].size(), 1u);
  EXPECT_NE(admin.ask(kRooms, "attic").error, "");
  EXPECT_NE(admin.ask(kStats).error, "");
  EXPECT_NE(admin.ask(kKick, "attic", "Olga").error, "");
  EXPECT_FALSE(other.port.last<Removed>());
  EXPECT_EQ(admin.ask(kKick, "den", "Ann").error, "");
  EXPECT_TRUE(ann.port.last<Removed>());
}

TEST_F(BrokerAdminTest, WithoutTokensTheOwnMachineAdministers) {
  Broker broker({.local_admin = true});
  Guest far(broker, now_);
  EXPECT_EQ(far.ask(kStats).error, "no answer");
  EXPECT_NE(far.port.last<JoinRefused>()->reason.find("its own machine"), std::string::npos);
  Guest near(broker, now_, /*loopback=*/true);
  EXPECT_EQ(near.ask(kStats).error, "");
  near.say(Join{.room = "den", .name = "Ann", .token = {}});
  EXPECT_EQ(near.ask(kStats).error, "");  // also as a member
}

// A tunnel or proxy on it may bring anybody.
TEST_F(BrokerAdminTest, WithoutAWordTheOwnMachineDoesNotAdminister) {
  Broker broker;
  Guest near(broker, now_, /*loopback=*/true);
  EXPECT_EQ(near.ask(kStats).error, "no answer");
  EXPECT_NE(near.port.last<JoinRefused>()->reason.find("--local-admin"), std::string::npos);
}

TEST_F(BrokerAdminTest, WhoIsKickedIsToldAndGone) {
  Guest ann(broker_, now_, "Ann", "guest");
  Guest bob(broker_, now_, "Bob", "guest");
  ann.say(Publish{.stream = 2, .about = ""});
  bob.say(Watch{.viewer = 1, .names = {"Ann"}, .best = {}, .seats = 1, .window = {}});
  Guest admin(broker_, now_);
  EXPECT_EQ(admin.ask(kKick, "den", "Cid", "admin").error, "there is no 'Cid' in a room 'den'");
  EXPECT_EQ(admin.ask(kKick, "den", "Ann").error, "");
  EXPECT_EQ(ann.port.last<Removed>()->reason, "removed from the room by who runs it: loud");
  EXPECT_EQ(bob.port.last<Left>()->name, "Ann");
  EXPECT_EQ(bob.port.last<Seat>()->name, "");
  // What it still says is not heard; it has time to read why, and no more.
  ann.say(Publish{.stream = 2, .about = ""});
  EXPECT_FALSE(ann.port.closed);
  now_ += Broker::kFarewell;
  broker_.poll(now_);
  EXPECT_EQ(ann.port.closed, "removed from the room by who runs it: loud");
  EXPECT_EQ(bob.port.count<Left>(), 1u);
  EXPECT_FALSE(bob.port.closed);
  Guest again(broker_, now_, "Ann", "guest");  // the name is free
  EXPECT_TRUE(again.port.last<Joined>());
  EXPECT_EQ(broker_.stats().removed, 1);
}

TEST_F(BrokerAdminTest, ATokenEndsWhileItIsUsed) {
  Guest ann(broker_, now_, "Ann", "10 s");
  Guest admin(broker_, now_);
  EXPECT_EQ(admin.ask(kStats, "", "", "10 s").error, "");
  now_ += 10s - 1ms;
  broker_.poll(now_);
  EXPECT_FALSE(ann.port.last<Removed>());
  EXPECT_EQ(admin.ask(kStats).error, "");
  now_ += 1ms;
  broker_.poll(now_);
  EXPECT_NE(ann.port.last<Removed>()->reason.find("expired"), std::string::npos);
  EXPECT_EQ(admin.ask(kStats).error, "no answer");
  EXPECT_TRUE(admin.port.last<Removed>());
  now_ += Broker::kFarewell;
  broker_.poll(now_);
  EXPECT_TRUE(ann.port.closed);
  EXPECT_TRUE(admin.port.closed);
}

TEST_F(BrokerAdminTest, WhoOnlyAdministersStaysWhileItAsks) {
  Guest admin(broker_, now_);
  admin.ask(kStats, "", "", "admin");
  for (int i = 0; i < 3; ++i) {
    now_ += Broker::kJoinTimeout;
    broker_.poll(now_);
    EXPECT_EQ(admin.ask(kStats).error, "");
  }
  now_ += Broker::kJoinTimeout + 1ms;
  broker_.poll(now_);
  EXPECT_TRUE(admin.port.closed);
}

TEST_F(BrokerAdminTest, OneWhoRemovesHimselfHarmsNobody) {
  Guest ann(broker_, now_, "Ann", "admin");
  ann.ask(kKick, "den", "Ann");
  EXPECT_TRUE(ann.port.last<Removed>());
  EXPECT_EQ(ann.port.count<Answer>(), 0u);
  EXPECT_EQ(ann.ask(kStats).error, "no answer");
}

}  // namespace
}  // namespace qps
