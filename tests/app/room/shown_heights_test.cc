#include "app/room/shown_heights.h"

#include <gtest/gtest.h>

#include "pubsub/wire/control_values.h"

namespace qvid::app {
namespace {

ShownHeights told(const ShownHeights& heights) {
  return *ShownHeights::read({{kHeightsAttribute, heights.attribute()}});
}

TEST(ShownHeights, WhoIsLargeIsNamed) {
  const ShownHeights heights({{"Ann", 611}, {"Bob", 88}, {"Cid", 90}, {"Dan", 86}});
  EXPECT_EQ(heights.of("Ann"), 630);
  EXPECT_EQ(heights.of("Bob"), 90);
  EXPECT_EQ(heights.of("Cid"), 90);
  EXPECT_EQ(heights.of("who comes"), 90);
  EXPECT_EQ(heights.attribute(), nlohmann::json::parse(R"([["", 90], ["Ann", 630]])"));
  EXPECT_EQ(told(heights), heights);
}

TEST(ShownHeights, OfEqualOnesNobodyIsNamed) {
  std::map<std::string, int> all;
  for (char c = 'a'; c <= 'z'; ++c) all[std::string(1, c)] = 158;
  EXPECT_EQ(ShownHeights(all).attribute(), nlohmann::json::parse(R"([["", 180]])"));
}

TEST(ShownHeights, ManyLargeOnesAreAllLargeEnough) {
  const ShownHeights heights(
      {{"a", 100}, {"b", 200}, {"c", 300}, {"d", 400}, {"e", 500}, {"f", 600}});
  for (const auto& [name, lines] : std::map<std::string, int>{
           {"a", 100}, {"b", 200}, {"c", 300}, {"d", 400}, {"e", 500}, {"f", 600}}) {
    EXPECT_GE(heights.of(name), lines) << name;
  }
  EXPECT_EQ(told(heights), heights) << "as many as may be told";
}

TEST(ShownHeights, WhoShowsNobodySaysSo) {
  EXPECT_EQ(ShownHeights().of("Ann"), 0);
  EXPECT_EQ(told(ShownHeights()).of("Ann"), 0);
}

TEST(ShownHeights, TheLongestNamesFitIntoAttributes) {
  std::map<std::string, int> all{{"small", 1}};
  for (char c = 'a'; c < 'e'; ++c) all[c + std::string(qps::kMaxName - 1, '"')] = 2000;
  EXPECT_TRUE(qps::are_attributes({{kHeightsAttribute, ShownHeights(all).attribute()}}));
}

TEST(ShownHeights, NonsenseIsNoWord) {
  for (const char* text :
       {"7", "{}", R"("720")", R"([["Ann"]])", R"([["Ann", 1, 2]])", R"([[1, 2]])",
        R"([["Ann", 1.5]])", R"([["Ann", -1]])", R"([["Ann", 70000]])", R"([["Ann", 1e300]])",
        R"([["Ann", 18446744073709551615]])",
        R"([["", 1], ["a", 1], ["b", 1], ["c", 1], ["d", 1], ["e", 1]])"}) {
    EXPECT_FALSE(ShownHeights::read({{kHeightsAttribute, nlohmann::json::parse(text)}})) << text;
  }
  EXPECT_FALSE(ShownHeights::read(nlohmann::json::object()));
  using nlohmann::json;
  const auto entry = [](const std::string& name) {
    return json::array({json::array({name, 100})});
  };
  EXPECT_FALSE(
      ShownHeights::read({{kHeightsAttribute, entry(std::string(qps::kMaxName + 1, 'x'))}}));
  EXPECT_TRUE(ShownHeights::read({{kHeightsAttribute, entry(std::string(qps::kMaxName, 'x'))}}));
}

}  // namespace
}  // namespace qvid::app
