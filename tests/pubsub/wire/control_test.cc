// Shows that every message comes back as it was written, and what is refused.
#include "pubsub/wire/control.h"

#include <gtest/gtest.h>

namespace qps {
namespace {

using namespace std::chrono_literals;

TEST(Control, WhatIsWrittenIsReadAgain) {
  for (const ToBroker& m : std::vector<ToBroker>{
           Join{.room = "den", .name = "Ann", .token = "t", .attributes = {{"x", {1, 2}}}},
           SetAttributes{{{"a", nullptr}}},
           Publish{4, "about"},
           Publish{4, "about", "sound-2"},
           Publish{4, "about", "", true},
           Unpublish{},
           Unpublish{"abcdefghijklmnop"},
           Watch{.viewer = 3, .names = {"Bob", "C d"}, .best = {}, .seats = 2, .window = 120ms},
           Watch{.viewer = 3, .names = {}, .best = "LIMIT 2", .seats = 2, .window = 0ms},
           Watch{.viewer = 3,
           .names = {"Bob"},
           .best = {},
           .seats = 1,
           .window = 0ms,
           .track = "sound"},
           PauseViewer{1},
           ResumeViewer{2},
           Unwatch{3},
           Admin{AdminAction::kRooms, "t", "den", "", "", "Ann"},
           Admin{AdminAction::kStats, "", "", "", "", ""},
           Admin{AdminAction::kKick, "t", "den", "Bob", "loud", ""},
           Measure{},
           Measure{.way = Way::kUp, .stream = 2, .name = "den", .token = "t"},
           Join{.room = "den", .name = "Ann", .token = {}, .knows = {"chat", "more"}},
           Admin{AdminAction::kHold, "t", "den", "Bob", "", "", "sound", true},
           Admin{AdminAction::kLock, "", "den", "", "", "", "", true},
           RaiseHand{true},
           RaiseHand{},
           Say{"Hello \"you\""},
           Say{std::string(kMaxChatText, 'x'), "Bob"}}) {
    const auto read = parse_to_broker(serialise(m));
    ASSERT_TRUE(read) << serialise(m);
    EXPECT_EQ(read->index(), m.index());
    EXPECT_EQ(serialise(*read), serialise(m));
  }
  for (const FromBroker& m : std::vector<FromBroker>{
           Joined{"den", "Ann"},
           Member{"Bob", {{"x", 1}}, {""}},
           Member{"Bob", nlohmann::json::object(), {"", "sound", "a", "b"}},
           Member{"Bob", nlohmann::json::object(), {}},
           Listed{},
           Left{"Bob", "why"},
           Seat{1, 0, "Bob", 3, "about"},
           Seat{1, 0, "", 3, ""},
           NotWatched{1, "why"},
           Wanted{true},
           Wanted{false, "sound"},
           Wanted{true, "", true},
           Lost{{kMaxItem, 1}},
           Lost{{0, 15}, "sound"},
           Begin{},
           Begin{"sound"},
           Demand{qvid::DataRate::from_kbps(5), qvid::DataRate::from_kbps(1)},
           Demand{qvid::DataRate::from_kbps(5), qvid::DataRate::from_kbps(1), "sound"},
           Demand{qvid::DataRate::from_kbps(5), qvid::DataRate::from_kbps(1), "", true},
           JoinRefused{"why"},
           Moving{"why"},
           Removed{"why"},
           Answer{AdminAction::kRooms, "", {{"rooms", {{{"room", "den"}}}}}},
           Answer{AdminAction::kKick, "nobody of that name", nlohmann::json::object()},
           Measuring{.stream = 2},
           Measuring{5, kMostMeasured, kMeasuringTime},
           Joined{"den", "Ann", {"chat"}},
           Said{"Ann", "Hello", 7, 1500ms},
           Said{"Ann", "psst", 0, kMaxAgo, "Bob"},
           NotSaid{"why"},
           Joined{"den", "Ann", {}, true},
           Member{"Bob", nlohmann::json::object(), {}, 7, {"", "sound"}},
           Hand{7},
           Held{"sound", true},
           Locked{true},
           Members{},
           Members{{Member{"Ann", {{"x", 1}}, {"sound"}}, Member{"Bob"}}}}) {
    const auto read = parse_from_broker(serialise(m));
    ASSERT_TRUE(read) << serialise(m);
    EXPECT_EQ(read->index(), m.index());
    EXPECT_EQ(serialise(*read), serialise(m));
  }
}

// Who knows of no tracks has the default one.
TEST(Control, TracksThatAreNotNamedAreTheDefaultOne) {
  const auto member = [](const char* text) { return std::get<Member>(*parse_from_broker(text)); };
  EXPECT_EQ(member(R"({"type":"member","name":"a","publishes":true,"attributes":{}})").tracks,
            std::vector<std::string>{""});
  EXPECT_FALSE(
      member(R"({"type":"member","name":"a","publishes":false,"attributes":{}})").publishes());
  const auto publish = parse_to_broker(R"({"type":"publish","stream":2,"about":""})");
  EXPECT_EQ(std::get<Publish>(*publish).track, "");
  EXPECT_EQ(serialise(ToBroker(Publish{2, ""})).find("track"), std::string::npos);
  EXPECT_EQ(serialise(FromBroker(Begin{})), R"({"type":"begin"})");
}

TEST(Control, WhatIsNotSoundIsRefused) {
  for (const char* text :
       {"",
        "[]",
        "{}",
        R"({"type":"join"})",
        R"({"type":"none"})",
        R"({"type":"join","room":"","name":"a","attributes":{}})",
        R"({"type":"join","room":"r","name":" a","attributes":{}})",
        R"({"type":"join","room":"r","name":"a\u0007","attributes":{}})",
        R"({"type":"join","room":"r","name":"a","attributes":[]})",
        R"({"type":"join","room":"r","name":"a","attributes":{"a":[[[[[[[1]]]]]]]}})",
        R"({"type":"watch","viewer":1,"window_ms":1})",
        R"({"type":"watch","viewer":1,"window_ms":1,"names":[]})",
        R"({"type":"watch","viewer":1,"window_ms":1,"names":[1]})",
        R"({"type":"watch","viewer":1,"window_ms":1,"names":["a"],"best":""})",
        R"({"type":"watch","viewer":1,"window_ms":99999,"names":["a"]})",
        R"({"type":"watch","viewer":1,"window_ms":1,"best":"","seats":65})",
        R"({"type":"pause","viewer":-1})",
        R"({"type":"admin"})",
        R"({"type":"admin","do":"everything"})",
        R"({"type":"admin","do":"rooms","token":1})",
        R"({"type":"admin","do":"kick","room":"den"})",
        R"({"type":"admin","do":"kick","room":"den","name":"a","reason":7})",
        R"({"type":"publish","stream":4294967296,"about":""})",
        R"({"type":"publish","stream":2,"about":"","track":"Sound"})",
        R"({"type":"publish","stream":2,"about":"","track":"a b"})",
        R"({"type":"publish","stream":2,"about":"","track":"abcdefghijklmnopq"})",
        R"({"type":"publish","stream":2,"about":"","track":null})",
        R"({"type":"unpublish","track":7})",
        R"({"type":"watch","viewer":1,"window_ms":1,"names":["a"],"track":"\u00e4"})"}) {
    EXPECT_FALSE(parse_to_broker(text)) << text;
  }
  EXPECT_FALSE(parse_to_broker(R"({"type":"admin","do":"rooms","token":")" +
                               std::string(kMaxToken + 1, 'a') + R"("})"));
  EXPECT_FALSE(parse_to_broker(std::string(20'000, '[')));
  for (const char* text :
       {R"({"type":"wanted","on":true,"track":1})",
        R"({"type":"begin","track":"S"})",
        R"({"type":"demand","most":1,"least":1,"track":[]})",
        R"({"type":"lost"})",
        R"({"type":"lost","item":-1,"part":0})",
        R"({"type":"lost","item":1,"part":16})",
        R"({"type":"lost","item":1.5,"part":0})",
        R"({"type":"lost","item":1,"part":0,"track":7})",
        R"({"type":"member","name":"a","publishes":true,"attributes":{},"tracks":[]})",
        R"({"type":"member","name":"a","publishes":false,"attributes":{},"tracks":["x"]})",
        R"({"type":"member","name":"a","publishes":true,"attributes":{},"tracks":["x","x"]})",
        R"({"type":"member","name":"a","publishes":true,"attributes":{},"tracks":["X"]})",
        R"({"type":"member","name":"a","publishes":true,"attributes":{},"tracks":[1]})",
        R"({"type":"member","name":"a","publishes":true,"attributes":{},"tracks":"x"})",
        R"({"type":"member","name":"a","publishes":true,"attributes":{},
            "tracks":["a","b","c","d","e"]})",
        R"({"type":"seat","viewer":1})",
        R"({"type":"demand","most":-1})",
        R"({"type":"wanted"})",
        R"({"type":"member","name":"a"})",
        R"({"type":"answer","do":"rooms"})",
        R"({"type":"answer","data":{}})",
        R"({"type":"answer","do":"kick","error":""})",
        R"({"type":"answer","do":"rooms","data":{"a":[[[[[[[1]]]]]]]}})"}) {
    EXPECT_FALSE(parse_from_broker(text)) << text;
  }
  nlohmann::json large = nlohmann::json::object();
  for (int i = 0; i < 500; ++i) large["attribute" + std::to_string(i)] = i;
  EXPECT_FALSE(are_attributes(large));
}

}  // namespace
}  // namespace qps
