// Pins the exact text of every message between clients and a broker: programs of other versions
// write and read it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pubsub/token/token.h"
#include "pubsub/wire/control.h"

namespace qps {
namespace {

using namespace std::chrono_literals;

using Attributes = nlohmann::json;
constexpr auto kRate = qvid::DataRate::from_bps;

struct ToBrokerText {
  ToBroker message;
  std::string text;
};
struct FromBrokerText {
  FromBroker message;
  std::string text;
};

std::vector<ToBrokerText> to_broker_texts() {
  return {
      {Join{.room = "den", .name = "Ann", .token = {}},
       R"({"attributes":{},"name":"Ann","room":"den","type":"join"})"},
      {Join{.room = "den", .name = "Ann", .token = "a.b.c", .attributes = {{"x", {1, 2}}}},
       R"({"attributes":{"x":[1,2]},"name":"Ann","room":"den","token":"a.b.c","type":"join"})"},
      {SetAttributes{{{"old", nullptr}, {"pinned", true}}},
       R"({"set":{"old":null,"pinned":true},"type":"attributes"})"},
      {Publish{4, "about"}, R"({"about":"about","stream":4,"type":"publish"})"},
      {Publish{4294967295, "", "sound-2"},
       R"({"about":"","stream":4294967295,"track":"sound-2","type":"publish"})"},
      {Unpublish{}, R"({"type":"unpublish"})"},
      {Unpublish{"sound"}, R"({"track":"sound","type":"unpublish"})"},
      {Watch{.viewer = 3, .names = {"Bob", "C d"}, .best = {}, .seats = 2, .window = 120ms},
       R"({"names":["Bob","C d"],"type":"watch","viewer":3,"window_ms":120})"},
      {Watch{.viewer = 1'000'000,
             .names = {},
             .best = "ORDER BY loudness DESC",
             .seats = 64,
             .window = 10s,
             .track = "sound"},
       R"({"best":"ORDER BY loudness DESC","seats":64,"track":"sound","type":"watch",)"
       R"("viewer":1000000,"window_ms":10000})"},
      {Watch{.viewer = 0, .names = {}, .best = "", .seats = 1, .window = 1999us},
       R"({"best":"","seats":1,"type":"watch","viewer":0,"window_ms":1})"},
      {PauseViewer{1}, R"({"type":"pause","viewer":1})"},
      {ResumeViewer{2}, R"({"type":"resume","viewer":2})"},
      {Unwatch{3}, R"({"type":"unwatch","viewer":3})"},
      {Admin{AdminAction::kRooms, "", "", "", "", ""}, R"({"do":"rooms","type":"admin"})"},
      {Admin{AdminAction::kRooms, "t", "den", "", "", "Ann"},
       R"({"after":"Ann","do":"rooms","room":"den","token":"t","type":"admin"})"},
      {Admin{AdminAction::kStats, "t", "", "", "", ""},
       R"({"do":"stats","token":"t","type":"admin"})"},
      {Admin{AdminAction::kKick, "", "den", "Bob", "too loud", ""},
       R"({"do":"kick","name":"Bob","reason":"too loud","room":"den","type":"admin"})"},
      {Measure{Way::kUp, 2, "den", "t"},
       R"({"name":"den","stream":2,"token":"t","type":"measure","way":"up"})"},
      {PlayHere{}, R"({"type":"play"})"},
      {Join{.room = "den", .name = "Ann", .token = {}, .knows = {"chat"}},
       R"({"attributes":{},"knows":["chat"],"name":"Ann","room":"den","type":"join"})"},
      {Admin{AdminAction::kHold, "", "den", "Bob", "", "", "sound", true},
       R"({"do":"hold","name":"Bob","on":true,"room":"den","track":"sound","type":"admin"})"},
      {Admin{AdminAction::kLock, "", "den", "", "", "", "", true},
       R"({"do":"lock","on":true,"room":"den","type":"admin"})"},
      {RaiseHand{true}, R"({"type":"hand","up":true})"},
      {Say{"Hello!"}, R"({"text":"Hello!","type":"say"})"},
      {Say{"psst", "Bob"}, R"({"text":"psst","to":"Bob","type":"say"})"},
      {Admin{AdminAction::kCluster, "t", "", "", "", ""},
       R"({"do":"cluster","token":"t","type":"admin"})"},
      {Link{"east-2", "s"}, R"({"node":"east-2","token":"s","type":"link"})"},
      {AskBegin{4}, R"({"type":"ask","viewer":4})"},
      {Take{4, kRate(4'000'000), kRate(300'000)},
       R"({"least":300000,"most":4000000,"type":"take","viewer":4})"},
      {Take{4, kRate(4'000'000), kRate(300'000), true},
       R"({"contended":true,"least":300000,"most":4000000,"type":"take","viewer":4})"},
      {LeavePlace{}, R"({"type":"leave"})"},
  };
}

std::vector<FromBrokerText> from_broker_texts() {
  return {
      {Joined{"den", "Ann"}, R"({"name":"Ann","room":"den","type":"joined"})"},
      {Member{"Bob", {{"x", 1}}, {"", "sound"}},
       R"({"attributes":{"x":1},"name":"Bob","publishes":true,"tracks":["","sound"],)"
       R"("type":"member"})"},
      {Member{"Bob", Attributes::object(), {}},
       R"({"attributes":{},"name":"Bob","publishes":false,"tracks":[],"type":"member"})"},
      {Listed{}, R"({"type":"listed"})"},
      {Left{"Bob", "closed"}, R"({"name":"Bob","reason":"closed","type":"left"})"},
      {Seat{1, 63, "Bob", 3, "a \"b\""},
       R"({"about":"a \"b\"","name":"Bob","seat":63,"stream":3,"type":"seat","viewer":1})"},
      {Seat{1, 0, "", 3, ""},
       R"({"about":"","name":"","seat":0,"stream":3,"type":"seat","viewer":1})"},
      {NotWatched{7, "no"}, R"({"reason":"no","type":"not_watched","viewer":7})"},
      {Wanted{true}, R"({"on":true,"type":"wanted"})"},
      {Wanted{true, "", true}, R"({"losses":true,"on":true,"type":"wanted"})"},
      {Wanted{false, "sound"}, R"({"on":false,"track":"sound","type":"wanted"})"},
      {Begin{}, R"({"type":"begin"})"},
      {Begin{"sound"}, R"({"track":"sound","type":"begin"})"},
      {Demand{kRate(4'000'000), kRate(300'000), "", true},
       R"({"contended":true,"least":300000,"most":4000000,"type":"demand"})"},
      {Demand{kRate(4'000'000), kRate(300'000)},
       R"({"least":300000,"most":4000000,"type":"demand"})"},
      {Demand{kRate(100'000'000'000), kRate(0), "sound"},
       R"({"least":0,"most":100000000000,"track":"sound","type":"demand"})"},
      {Lost{{.item = 7, .part = 1}}, R"({"item":7,"part":1,"type":"lost"})"},
      {Lost{{.item = 0, .part = 15}, "sound"},
       R"({"item":0,"part":15,"track":"sound","type":"lost"})"},
      {JoinRefused{"full"}, R"({"reason":"full","type":"refused"})"},
      {Moving{"later"}, R"({"reason":"later","type":"moving"})"},
      {Removed{"loud"}, R"({"reason":"loud","type":"removed"})"},
      {Answer{AdminAction::kRooms, "", {{"rooms", Attributes::array()}}},
       R"({"data":{"rooms":[]},"do":"rooms","type":"answer"})"},
      {Answer{AdminAction::kStats, "", Attributes::object()},
       R"({"data":{},"do":"stats","type":"answer"})"},
      {Answer{AdminAction::kKick, "nobody of that name", Attributes::object()},
       R"({"do":"kick","error":"nobody of that name","type":"answer"})"},
      {Measuring{2, qvid::ByteCount(1000), std::chrono::seconds(2)},
       R"({"bytes":1000,"ms":2000,"stream":2,"type":"measuring"})"},
      {Joined{"den", "Ann", {"chat"}},
       R"({"knows":["chat"],"name":"Ann","room":"den","type":"joined"})"},
      {Said{"Ann", "Hello!", 7, 1500ms},
       R"({"ago_ms":1500,"from":"Ann","number":7,"text":"Hello!","type":"said"})"},
      {Said{"Ann", "psst", 0, 0ms, "Bob"},
       R"({"ago_ms":0,"from":"Ann","number":0,"text":"psst","to":"Bob","type":"said"})"},
      {Joined{"den", "Ann", {}, true},
       R"({"admin":true,"name":"Ann","room":"den","type":"joined"})"},
      {Member{"Bob", Attributes::object(), {}, 3, {"sound"}},
       R"({"attributes":{},"hand":3,"held":["sound"],"name":"Bob","publishes":false,"tracks":[],)"
       R"("type":"member"})"},
      {Hand{3}, R"({"number":3,"type":"hand"})"},
      {Held{"sound", true}, R"({"on":true,"track":"sound","type":"held"})"},
      {Locked{false}, R"({"on":false,"type":"locked"})"},
      {Members{{Member{"Ann", Attributes::object(), {}}, Member{"Bob", {{"x", 1}}, {"sound"}}}},
       R"({"of":[{"attributes":{},"name":"Ann","publishes":false,"tracks":[]},)"
       R"({"attributes":{"x":1},"name":"Bob","publishes":true,"tracks":["sound"]}],)"
       R"("type":"members"})"},
      {NotSaid{"too many"}, R"({"reason":"too many","type":"not_said"})"},
      {Joined{"den", "Ann", {}, false, {"b.example:7400#k", "c.example:7400"}},
       R"({"name":"Ann","nodes":["b.example:7400#k","c.example:7400"],"room":"den",)"
       R"("type":"joined"})"},
      {Member{"Bob", Attributes::object(), {"sound"}, 0, {}, false, {"opus"}, "self:x", 9},
       R"({"abouts":["opus"],"attributes":{},"claim":9,"name":"Bob","publishes":true,)"
       R"("self":"self:x","tracks":["sound"],"type":"member"})"},
      {Nodes{{"b.example:7400"}}, R"({"of":["b.example:7400"],"type":"nodes"})"},
      {Linked{}, R"({"type":"linked"})"},
  };
}

TEST(ControlText, OfWhatAClientSays) {
  for (const auto& [message, text] : to_broker_texts()) {
    EXPECT_EQ(serialise(message), text);
    const auto read = parse_to_broker(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->index(), message.index()) << text;
    EXPECT_EQ(serialise(*read), text);
  }
}

TEST(ControlText, OfWhatABrokerSays) {
  for (const auto& [message, text] : from_broker_texts()) {
    EXPECT_EQ(serialise(message), text);
    const auto read = parse_from_broker(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->index(), message.index()) << text;
    EXPECT_EQ(serialise(*read), text);
  }
}

TEST(ControlText, EveryKindOfMessageIsPinned) {
  for (std::size_t i = 0; i < std::variant_size_v<ToBroker>; ++i) {
    EXPECT_TRUE(std::ranges::any_of(to_broker_texts(), [i](const auto& t) {
      return t.message.index() == i;
    })) << i;
  }
  for (std::size_t i = 0; i < std::variant_size_v<FromBroker>; ++i) {
    EXPECT_TRUE(std::ranges::any_of(from_broker_texts(), [i](const auto& t) {
      return t.message.index() == i;
    })) << i;
  }
}

// Reasons are cut so that what comes of bytes that are no UTF-8 still fits, and are read without
// control characters; names, tokens and `about` are neither.
TEST(ControlText, OfLongAndStrangeReasons) {
  const std::string cut(1365, 'a');
  EXPECT_EQ(serialise(FromBroker(Moving{cut + "b"})),
            R"({"reason":")" + cut + R"(","type":"moving"})");
  EXPECT_EQ(serialise(FromBroker(Left{"Bob", cut + "b"})),
            R"({"name":"Bob","reason":")" + cut + R"(","type":"left"})");
  EXPECT_EQ(serialise(FromBroker(NotWatched{1, cut + "b"})),
            R"({"reason":")" + cut + R"(","type":"not_watched","viewer":1})");
  EXPECT_EQ(serialise(FromBroker(Answer{AdminAction::kKick, cut + "b", Attributes::object()})),
            R"({"do":"kick","error":")" + cut + R"(","type":"answer"})");
  EXPECT_EQ(serialise(FromBroker(Removed{"a\xff"})),
            "{\"reason\":\"a\xef\xbf\xbd\",\"type\":\"removed\"}");
  EXPECT_EQ(serialise(FromBroker(Removed{"a\n\x1b"})),
            R"({"reason":"a\n\u001b","type":"removed"})");
  EXPECT_EQ(
      std::get<Removed>(*parse_from_broker(R"({"type":"removed","reason":"a\n\u001b"})")).reason,
      "a??");
  EXPECT_EQ(
      std::get<Admin>(
          *parse_to_broker(R"({"type":"admin","do":"kick","room":"r","name":"n","reason":"a\nb"})"))
          .reason,
      "a?b");
  EXPECT_EQ(
      std::get<Publish>(*parse_to_broker(R"({"type":"publish","stream":1,"about":"a\nb"})")).about,
      "a\nb");
}

// The bounds of each kind of field: the last that is taken and the first that is not.
TEST(ControlText, IsTakenUpToItsBounds) {
  const auto string = [](std::size_t size) { return '"' + std::string(size, 'a') + '"'; };
  const auto client = [](const std::string& text) { return bool(parse_to_broker(text)); };
  const auto broker = [](const std::string& text) { return bool(parse_from_broker(text)); };
  const auto join = [&](const std::string& name, const std::string& token) {
    return client(R"({"type":"join","room":"r","attributes":{},"name":)" + name + R"(,"token":)" +
                  token + "}");
  };
  EXPECT_TRUE(join(string(kMaxName), string(kMaxToken)));
  EXPECT_FALSE(join(string(kMaxName + 1), string(1)));
  EXPECT_FALSE(join(string(1), string(kMaxToken + 1)));
  const auto publish = [&](const std::string& about, const std::string& stream) {
    return client(R"({"type":"publish","about":)" + about + R"(,"stream":)" + stream + "}");
  };
  EXPECT_TRUE(publish(string(kMaxAbout), "4294967295"));
  EXPECT_FALSE(publish(string(kMaxAbout + 1), "1"));
  EXPECT_FALSE(publish(string(1), "4294967296"));
  const auto watch = [&](const std::string& fields) {
    return client(R"({"type":"watch",)" + fields + "}");
  };
  EXPECT_TRUE(
      watch(R"("viewer":1000000,"window_ms":10000,"seats":64,"best":)" + string(kMaxCriterion)));
  EXPECT_FALSE(watch(R"("viewer":1,"window_ms":1,"seats":1,"best":)" + string(kMaxCriterion + 1)));
  EXPECT_FALSE(watch(R"("viewer":1000001,"window_ms":1,"names":["a"])"));
  EXPECT_FALSE(watch(R"("viewer":1,"window_ms":10001,"names":["a"])"));
  EXPECT_FALSE(watch(R"("viewer":1,"window_ms":-1,"names":["a"])"));
  EXPECT_FALSE(watch(R"("viewer":1,"window_ms":1,"best":"","seats":0)"));
  EXPECT_FALSE(watch(R"("viewer":1,"window_ms":1,"best":"")"));
  // With names the number of seats is theirs, whatever is said of it.
  EXPECT_TRUE(watch(R"("viewer":1,"window_ms":1,"names":["a"],"seats":"many")"));
  std::string names = "\"a\"";
  for (std::size_t i = 1; i < kMaxSeats; ++i) names += ",\"a\"";
  EXPECT_TRUE(watch(R"("viewer":1,"window_ms":1,"names":[)" + names + "]"));
  EXPECT_FALSE(watch(R"("viewer":1,"window_ms":1,"names":["a",)" + names + "]"));
  const auto admin = [&](const std::string& fields) {
    return client(R"({"type":"admin","do":"kick","room":"r","name":"n",)" + fields + "}");
  };
  EXPECT_TRUE(admin(R"("reason":)" + string(kMaxReason)));
  EXPECT_FALSE(admin(R"("reason":)" + string(kMaxReason + 1)));
  EXPECT_FALSE(admin(R"("after":)" + string(kMaxName + 1)));
  EXPECT_TRUE(client(R"({"type":"admin","do":"rooms","room":""})"));
  EXPECT_FALSE(client(R"({"type":"admin","do":"kick","room":"","name":"n"})"));
  const auto moving = [&](std::size_t size) {
    return broker(R"({"type":"moving","reason":)" + string(size) + "}");
  };
  EXPECT_TRUE(moving(4096));
  EXPECT_FALSE(moving(4097));
  const auto demand = [&](const std::string& most) {
    return broker(R"({"type":"demand","least":0,"most":)" + most + "}");
  };
  EXPECT_TRUE(demand("100000000000"));
  EXPECT_FALSE(demand("100000000001"));
  EXPECT_FALSE(demand("18446744073709551615"));
  const auto seat = [&](const std::string& number, const std::string& name) {
    return broker(R"({"type":"seat","viewer":1,"stream":3,"about":"","seat":)" + number +
                  R"(,"name":)" + name + "}");
  };
  EXPECT_TRUE(seat("63", "\"\""));
  EXPECT_FALSE(seat("64", "\"\""));
  EXPECT_FALSE(seat("0", "\" a\""));
  // An answer with an error has no need of data; what else is there is left aside.
  EXPECT_TRUE(broker(R"({"type":"answer","do":"kick","error":"why","data":7})"));
  EXPECT_FALSE(broker(R"({"type":"answer","do":"kick","error":7,"data":{}})"));
}

TEST(ControlText, OfATokensClaims) {
  constexpr WallTime kNow{1'800'000'000s};
  const auto key = TokenKey::from_text("0123456789abcdef0123456789abcdef");
  ASSERT_TRUE(key);
  const auto token = issue_token({.room = "den",
                                  .name = "*",
                                  .publish = true,
                                  .subscribe = true,
                                  .admin = true,
                                  .expires = kNow + 24h},
                                 *key, kNow);
  ASSERT_TRUE(token);
  // {"alg":"HS256","typ":"JWT"}, and {"exp":1800086400,"iat":1800000000,"name":"*",
  // "rights":["publish","subscribe","admin"],"room":"den"}
  EXPECT_EQ(*token,
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
            "eyJleHAiOjE4MDAwODY0MDAsImlhdCI6MTgwMDAwMDAwMCwibmFtZSI6IioiLCJyaWdodHMiOlsicHVibGlz"
            "aCIsInN1YnNjcmliZSIsImFkbWluIl0sInJvb20iOiJkZW4ifQ."
            "2x-tqPZi5RTHG4FG6rR480XO1yjDtanNC49hssiTD5o");
}

}  // namespace
}  // namespace qps
