// Criteria: what they rank, that ties are broken, and what is refused in which words.
#include "pubsub/criteria/preference.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/pubsub/criteria/criteria_table.h"

namespace qps {
namespace {

TEST(Preference, WithoutWordsWhoJoinedFirst) {
  PublisherTable table;
  add(table, "zoe", 1s, json::object());
  add(table, "bob", 2s, json::object());
  add(table, "ann", 2s, json::object());
  EXPECT_EQ(best(table, ""), (Names{"zoe", "ann", "bob"}));
  EXPECT_EQ(best(table, " \n\t "), (Names{"zoe", "ann", "bob"}));
  EXPECT_EQ(best(table, "limit 2"), (Names{"zoe", "ann"}));
  EXPECT_EQ(best(table, "", 1), Names{"zoe"});
  EXPECT_EQ(best(table, "", 0), Names{});
}

TEST(Preference, WellKnownAttributesFillColumnsIfTheirTypeIsRight) {
  PublisherTable table;
  add(table, "right", 0s,
      {{"speaking", true},
       {"pinned", 1},
       {"loudness", -20},
       {"width", 640},
       {"height", 480},
       {"fps", 29.97}});
  add(table, "wrong", 1s,
      {{"speaking", "yes"},
       {"pinned", 7},
       {"loudness", "-1"},
       {"width", -640},
       {"height", 4.5},
       {"fps", {1, 2}}});
  add(table, "wild", 2s, {{"loudness", 1e300}, {"width", 1e18}, {"fps", -1}});
  EXPECT_EQ(best(table,
                 "WHERE speaking = 1 AND pinned = 1 AND loudness = -20 AND width = 640 AND "
                 "height = 480 AND fps = 29.97 AND joined = 0"),
            Names{"right"});
  EXPECT_EQ(best(table,
                 "WHERE speaking = 0 AND pinned = 0 AND loudness = -127 AND width = 0 AND "
                 "height = 0 AND fps = 0"),
            Names{"wrong"});
  EXPECT_EQ(best(table, "WHERE loudness = 0 AND width = 0 AND fps = 0"), Names{"wild"});
  EXPECT_EQ(best(table, "WHERE attributes->>'speaking' = 'yes' AND attributes->>'pinned' = 7"),
            Names{"wrong"})
      << "all stays in the attributes";
}

TEST(Preference, LaterAttributesReplaceAllOfTheEarlier) {
  PublisherTable table;
  add(table, "ann", 5s, {{"speaking", true}, {"x", 3}});
  const auto speaking = table.compile("WHERE speaking");
  const auto at_three = table.compile("WHERE attributes->>'x' = 3");
  ASSERT_TRUE(speaking && at_three);
  EXPECT_EQ(*table.best(*speaking, 4), Names{"ann"});
  EXPECT_EQ(*table.best(*at_three, 4), Names{"ann"});
  add(table, "ann", 5s, json::object());
  EXPECT_EQ(*table.best(*speaking, 4), Names{});
  EXPECT_EQ(*table.best(*at_three, 4), Names{});
  EXPECT_EQ(table.size(), 1u);
  table.remove("ann");
  table.remove("ann");
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(best(table, ""), Names{});
}

TEST(Preference, WhatCannotBeKeptIsRefusedAndChangesNothing) {
  PublisherTable table;
  add(table, "ann", 0s, {{"x", 1}});
  const auto refused = [&](const std::string& name, const json& attributes) {
    const auto error = table.upsert(name, 0s, attributes);
    return error && !error->message.empty() && error->message.size() < 300;
  };
  json deep = 1;
  for (int i = 0; i < 5000; ++i) deep = json::array({std::move(deep)});
  EXPECT_TRUE(refused("", json::object()));
  EXPECT_TRUE(refused(std::string(PublisherTable::kMaxName + 1, 'a'), json::object()));
  EXPECT_TRUE(refused(std::string("a\0b", 3), json::object()));
  EXPECT_TRUE(refused("ann", json::array({1})));
  EXPECT_TRUE(refused("ann", json(json::value_t::discarded)));
  EXPECT_TRUE(refused("ann", {{"x", std::string(3000, 'a')}}));
  EXPECT_TRUE(refused("ann", {{"x", std::move(deep)}}));
  EXPECT_EQ(best(table, "WHERE attributes->>'x' = 1"), Names{"ann"});
  EXPECT_EQ(table.size(), 1u);
}

TEST(Preference, AttributesOfAnyBytesAreKept) {
  PublisherTable table;
  add(table, "ann", 0s,
      {{"bytes", "\xff\xfe"}, {"nul", std::string("a\0b", 3)}, {"é'\"", 5}, {"inf", INFINITY}});
  EXPECT_EQ(best(table, "WHERE attributes->>'é''\"' IS NULL AND attributes->>'bytes' <> ''"),
            Names{"ann"});
  add(table, "bob", 1s, {{"größe", 5}});
  EXPECT_EQ(best(table, "WHERE attributes->>'größe' = 5"), Names{"bob"});
}

TEST(Preference, TheLargestAttributesAndNameFit) {
  PublisherTable table;
  const std::string name(PublisherTable::kMaxName, 'n');
  json attributes = {{"a", ""}};
  attributes["a"] = std::string(PublisherTable::kMaxAttributes - attributes.dump().size(), 'a');
  add(table, name, 0s, attributes);
  EXPECT_EQ(best(table, "ORDER BY attributes DESC"), Names{name});
}

TEST(Preference, ARoomIsBounded) {
  PublisherTable table = room_of(static_cast<int>(PublisherTable::kMaxPublishers));
  EXPECT_TRUE(table.upsert("late", 0s, json::object()));
  add(table, "p3", 3s, {{"speaking", true}});
  EXPECT_EQ(best(table, "WHERE speaking"), Names{"p3"});
  table.remove("p4");
  add(table, "late", 9999s, json::object());
  // What people write is far from the bound of steps in the largest room.
  const Names names = best(
      table,
      "WHERE loudness > -90 ORDER BY pinned DESC, speaking DESC, pow(attributes->>'x' - 500, 2) + "
      "pow(coalesce(attributes->>'y', 0) - 7, 2) LIMIT 64");
  EXPECT_EQ(names.size(), 64u) << names[0];
}

TEST(Preference, TiesAreBrokenByJoinedThenNameWhateverTheOrderOfArrival) {
  for (const bool backwards : {false, true}) {
    PublisherTable table;
    Names names{"a", "b", "c", "d", "e", "f"};
    const Names all = names;
    if (backwards) std::reverse(names.begin(), names.end());
    for (const std::string& name : names) {
      add(table, name, name < "c" ? 2s : 1s, {{"loudness", name == "f" ? -10 : -20}, {"x", 1}});
    }
    const Names expected{"f", "c", "d", "e", "a", "b"};
    for (const char* text :
         {"ORDER BY loudness DESC", "ORDER BY loudness DESC, attributes->>'x'",
          "ORDER BY loudness DESC NULLS LAST", "ORDER BY (loudness) DESC", "ORDER BY -loudness ASC",
          "ORDER BY CASE WHEN loudness > -15 THEN 0 ELSE 1 END",
          "ORDER BY loudness COLLATE nocase DESC", "ORDER BY loudness DESC LIMIT 6",
          "WHERE 1 ORDER BY loudness DESC", "ORDER BY (SELECT 1), loudness DESC",
          // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one text on two lines
          "WHERE name IN (SELECT name FROM publishers ORDER BY name DESC) ORDER BY loudness "
          "DESC"}) {
      EXPECT_EQ(best(table, text, 6), expected) << text;
    }
    EXPECT_EQ(best(table, "WHERE loudness = -20 OR 1", 6), (Names{"c", "d", "e", "f", "a", "b"}));
    EXPECT_EQ(best(table, "ORDER BY name DESC", 2), (Names{"f", "e"}));
  }
}

TEST(Preference, AConditionIsWholeWhateverItsOperators) {
  PublisherTable table = room_of(4);
  EXPECT_EQ(best(table, "WHERE 0 OR attributes->>'x' = 2"), Names{"p2"});
  EXPECT_EQ(best(table, "WHERE attributes->>'x' = 2 OR 0 ORDER BY name"), Names{"p2"});
  EXPECT_EQ(best(table, "WHERE attributes->>'x' BETWEEN 1 AND 2 AND NOT name = 'p1'"), Names{"p2"});
}

TEST(Preference, KeywordsWithinQuotesAndSubqueriesAreNoClauses) {
  PublisherTable table = room_of(3);
  add(table, "ORDER BY; -- LIMIT 9", 9s, {{"where", "it's"}});
  EXPECT_EQ(best(table, "WHERE name = 'ORDER BY; -- LIMIT 9' LIMIT 3"),
            Names{"ORDER BY; -- LIMIT 9"});
  EXPECT_EQ(best(table, "WHERE attributes->>'where' = 'it''s'"), Names{"ORDER BY; -- LIMIT 9"});
  EXPECT_EQ(best(table,
                 "WHERE name = (SELECT name FROM publishers WHERE 1 ORDER BY name DESC "
                 "LIMIT 1) LIMIT 3"),
            Names{"p2"});
  EXPECT_EQ(best(table, "WHERE \"name\" = 'p1' AND [joined] = 1 AND `speaking` = 0"), Names{"p1"});
}

TEST(Preference, OrderByOfAllOfThemAtOnceIsRefused) {
  PublisherTable table = room_of(3);
  for (const char* text : {"ORDER BY count(*)", "ORDER BY max(loudness)", "ORDER BY 1 + sum(fps)",
                           "ORDER BY (SELECT max(publishers.loudness))"}) {
    EXPECT_NE(refusal(table, text).find("one by one"), std::string::npos)
        << text << ": " << refusal(table, text);
  }
  EXPECT_NE(refusal(table, "WHERE avg(loudness) > 3").find("one by one"), std::string::npos);
  EXPECT_EQ(best(table, "ORDER BY max(joined, 1) DESC, min(loudness, 0)"),
            (Names{"p2", "p1", "p0"}));
  EXPECT_EQ(best(table, "WHERE loudness < (SELECT avg(loudness) FROM publishers)"), Names{"p2"});
}

TEST(Preference, ACriterionBelongsToItsTableAndMayOutliveIt) {
  auto one = std::make_unique<PublisherTable>();
  PublisherTable other;
  add(*one, "ann", 0s, json::object());
  auto criterion = one->compile("ORDER BY name");
  ASSERT_TRUE(criterion);
  EXPECT_EQ(criterion->text(), "ORDER BY name");
  EXPECT_FALSE(criterion->limit());
  EXPECT_EQ(one->compile("LIMIT 3")->limit(), 3u);
  EXPECT_FALSE(other.best(*criterion, 1));
  PublisherTable moved = std::move(*one);
  EXPECT_EQ(*moved.best(*criterion, 1), Names{"ann"});
  one = std::make_unique<PublisherTable>();
  *one = std::move(moved);
  EXPECT_EQ(*one->best(*criterion, 1), Names{"ann"});
  one.reset();
  EXPECT_FALSE(other.best(*criterion, 1));
}

TEST(Preference, AnEvaluationThatFailsIsAnErrorAndTheNextOneIsNot) {
  PublisherTable table;
  add(table, "ann", 0s, {{"n", 5}, {"json", "no json"}});
  const auto criterion = table.compile("ORDER BY abs(attributes->>'n')");
  const auto inner = table.compile("ORDER BY attributes->>'json'->>'x'");
  ASSERT_TRUE(criterion && inner);
  EXPECT_EQ(*table.best(*criterion, 1), Names{"ann"});
  EXPECT_FALSE(table.best(*inner, 1));
  add(table, "ann", 0s, {{"n", INT64_MIN}, {"json", "{\"x\": 1}"}});
  const auto failed = table.best(*criterion, 1);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the criterion cannot be evaluated: integer overflow");
  EXPECT_EQ(*table.best(*inner, 1), Names{"ann"});
  add(table, "ann", 0s, {{"n", -5}});
  EXPECT_EQ(*table.best(*criterion, 1), Names{"ann"});
}

TEST(Preference, RefusalsSayWhatIsWrongWhereAndWhatWouldBeRight) {
  PublisherTable table = room_of(3);
  const std::map<std::string, std::string> expected = {
      {"SELECT name FROM publishers",
       "there is SELECT at character 1 (SELECT name FROM publish...); leave out what comes before "
       "WHERE, ORDER BY or LIMIT"},
      {"ORDER loudness",
       "ORDER without BY at character 1 (ORDER loudness); write for example ORDER "
       "BY loudness DESC"},
      {"LIMIT 1 ORDER BY joined",
       "ORDER at character 9 (ORDER BY joined) is out of order; first "
       "WHERE, then ORDER BY, then LIMIT, each once"},
      {"ORDER BY joined,",
       "something is missing at the end: ORDER BY needs terms, such as loudness "
       "DESC"},
      {"WHERE LIMIT 2",
       "something is missing at character 7 (LIMIT 2): WHERE needs a condition, such as loudness > "
       "-40"},
      {"WHERE name = 'ann", "the quote that begins at character 14 ('ann) is never closed"},
      {"WHERE name = :name",
       "there is a parameter at character 14 (:name); write the value itself, a text in single "
       "quotes"},
      {"WHERE größe = 1 AND loudnes > 3",
       "no such column: größe at character 7 (größe = 1 AND loudnes ...); there are name, joined, "
       "speaking, loudness, pinned, width, height, fps, attributes, any other attribute x is "
       "attributes->>'x', and a text is in single quotes"},
  };
  for (const auto& [text, answer] : expected) EXPECT_EQ(refusal(table, text), answer);
}

}  // namespace
}  // namespace qps
