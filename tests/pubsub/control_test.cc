// Shows that every message comes back as it was written, and what is refused.
#include "pubsub/control.h"

#include <gtest/gtest.h>

namespace qps {
namespace {

using namespace std::chrono_literals;

TEST(Control, WhatIsWrittenIsReadAgain) {
  for (const ToBroker& m : std::vector<ToBroker>{
           Join{.room = "den", .name = "Ann", .token = "t", .attributes = {{"x", {1, 2}}}},
           SetAttributes{{{"a", nullptr}}}, Publish{4, "about"}, Unpublish{},
           Watch{.viewer = 3, .names = {"Bob", "C d"}, .best = {}, .seats = 2, .window = 120ms},
           Watch{.viewer = 3, .names = {}, .best = "LIMIT 2", .seats = 2, .window = 0ms},
           PauseViewer{1}, ResumeViewer{2}, Unwatch{3},
           Admin{AdminAction::kRooms, "t", "den", "", "", "Ann"},
           Admin{AdminAction::kStats, "", "", "", "", ""},
           Admin{AdminAction::kKick, "t", "den", "Bob", "loud", ""}}) {
    const auto read = parse_to_broker(serialise(m));
    ASSERT_TRUE(read) << serialise(m);
    EXPECT_EQ(read->index(), m.index());
    EXPECT_EQ(serialise(*read), serialise(m));
  }
  for (const FromBroker& m : std::vector<FromBroker>{
           Joined{"den", "Ann"}, Member{"Bob", true, {{"x", 1}}}, Listed{}, Left{"Bob", "why"},
           Seat{1, 0, "Bob", 3, "about"}, Seat{1, 0, "", 3, ""}, NotWatched{1, "why"}, Wanted{true},
           Begin{}, Demand{qvid::DataRate::from_kbps(5), qvid::DataRate::from_kbps(1)},
           JoinRefused{"why"}, Moving{"why"}, Removed{"why"},
           Answer{AdminAction::kRooms, "", {{"rooms", {{{"room", "den"}}}}}},
           Answer{AdminAction::kKick, "nobody of that name", nlohmann::json::object()}}) {
    const auto read = parse_from_broker(serialise(m));
    ASSERT_TRUE(read) << serialise(m);
    EXPECT_EQ(read->index(), m.index());
    EXPECT_EQ(serialise(*read), serialise(m));
  }
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
        R"({"type":"publish","stream":4294967296,"about":""})"}) {
    EXPECT_FALSE(parse_to_broker(text)) << text;
  }
  EXPECT_FALSE(parse_to_broker(R"({"type":"admin","do":"rooms","token":")" +
                               std::string(kMaxToken + 1, 'a') + R"("})"));
  EXPECT_FALSE(parse_to_broker(std::string(20'000, '[')));
  for (const char* text :
       {R"({"type":"seat","viewer":1})", R"({"type":"demand","most":-1})", R"({"type":"wanted"})",
        R"({"type":"member","name":"a"})", R"({"type":"answer","do":"rooms"})",
        R"({"type":"answer","data":{}})", R"({"type":"answer","do":"kick","error":""})",
        R"({"type":"answer","do":"rooms","data":{"a":[[[[[[[1]]]]]]]}})"}) {
    EXPECT_FALSE(parse_from_broker(text)) << text;
  }
  nlohmann::json large = nlohmann::json::object();
  for (int i = 0; i < 500; ++i) large["attribute" + std::to_string(i)] = i;
  EXPECT_FALSE(are_attributes(large));
}

}  // namespace
}  // namespace qps
