// Criteria: what they rank, that ties are broken, that hostile ones are refused and cheap, and
// every example of docs/preferences.md.
#include "pubsub/criteria/preference.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace qps {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Names = std::vector<std::string>;

// The ranking, or "refused: why" alone.
Names best(PublisherTable& table, std::string_view text, std::size_t seats = 4) {
  const auto criterion = table.compile(text);
  if (!criterion) return {"refused: " + criterion.error().message};
  const auto names = table.best(*criterion, seats);
  if (!names) return {"refused: " + names.error().message};
  return *names;
}

std::string refusal(PublisherTable& table, std::string_view text) {
  const Names names = best(table, text);
  if (names.size() != 1 || !names[0].starts_with("refused: ")) return "";
  return names[0].substr(9);
}

void add(PublisherTable& table, const std::string& name, qvid::Duration joined, json attributes) {
  const auto error = table.upsert(name, joined, attributes);
  ASSERT_FALSE(error) << error->message;
}

PublisherTable room_of(int publishers) {
  PublisherTable table;
  for (int i = 0; i < publishers; ++i) {
    add(table, "p" + std::to_string(i), i * 1s, {{"loudness", -i % 100}, {"x", i}});
  }
  return table;
}

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

struct Hostile {
  std::string text;
  std::string because;  // a part of the refusal
};

std::vector<Hostile> hostile_criteria() {
  std::string many_tables = "WHERE (SELECT count(*) FROM publishers a";
  for (char c = 'b'; c < 'l'; ++c) many_tables += std::string(", publishers ") + c;
  many_tables += ") > 0";
  std::string growing = "WHERE length('" + std::string(500, 'a') + "'";
  for (int i = 0; i < 10; ++i) growing += "||attributes||attributes";
  std::string wide = "ORDER BY 1";
  for (int i = 0; i < 100; ++i) wide += ",joined";
  std::string sum = "WHERE 1";
  for (int i = 0; i < 400; ++i) sum += "+1";
  std::string compound = "WHERE 1 IN (SELECT 1";
  for (int i = 0; i < 20; ++i) compound += " UNION SELECT 1";
  std::string in_select = "WHERE (SELECT 1";
  for (int i = 0; i < 40; ++i) in_select += ",1";
  std::string joined = "WHERE EXISTS (SELECT 1 FROM publishers a";
  for (int i = 0; i < 70; ++i) joined += ",json_each";
  std::string doubling = "a";
  for (int i = 0; i < 20; ++i) {
    doubling = "(SELECT b||b AS b FROM (SELECT '" + doubling + "' AS b))";
    if (doubling.size() > 900) break;
  }
  return {
      // More than one statement, and text that cuts off ours.
      {"WHERE 1; DROP TABLE publishers", "semicolon"},
      {"; DELETE FROM publishers", "semicolon"},
      {"LIMIT 1;", "semicolon"},
      {"WHERE 1 --", "comment"},
      {"WHERE 1) --", "never opened"},
      {"ORDER BY joined /* and", "comment"},
      {"ORDER BY 1 LIMIT 100 -- ", "comment"},
      {"WHERE 1)", "never opened"},
      {"WHERE (1", "never closed"},
      {"WHERE 1) OR (1", "never opened"},
      {"WHERE 1) UNION SELECT sql FROM sqlite_master WHERE (1", "never opened"},
      {"WHERE 'a", "never closed"},
      {"WHERE [name", "never closed"},
      {"WHERE `name", "never closed"},
      {"WHERE ?1", "parameter"},
      {"WHERE @x OR $y", "parameter"},
      {"WHERE 1 #", "parameter"},
      // Clauses that are not offered.
      {"WHERE 1 UNION SELECT sql FROM sqlite_master", "nothing but"},
      {"WHERE 1 GROUP BY speaking", "nothing but"},
      {"WHERE 1 HAVING 1", "nothing but"},
      {"ORDER BY joined INTERSECT SELECT 1", "there is"},
      {"ORDER BY joined LIMIT 1 OFFSET 5", "nothing but"},
      {"LIMIT 2, 3", "after LIMIT"},
      {"LIMIT -1", "after LIMIT"},
      {"LIMIT 0", "after LIMIT"},
      {"LIMIT 65", "after LIMIT"},
      {"LIMIT 99999999999999999999999999", "after LIMIT"},
      {"LIMIT 0x10", "after LIMIT"},
      {"LIMIT (SELECT 1)", "after LIMIT"},
      {"LIMIT", "after LIMIT"},
      {"WHERE 1 WHERE 1", "out of order"},
      {"WHERE 1 WINDOW w AS (ORDER BY joined)", "windows"},
      {"ORDER BY sum(fps) OVER (ORDER BY joined)", "windows"},
      {"JOIN publishers b", "begins with"},
      {", sqlite_master", "begins with"},
      {"DROP TABLE publishers", "begins with"},
      {"PRAGMA writable_schema = 1", "begins with"},
      {"ATTACH 'x.db' AS x", "begins with"},
      {"WHERE (DELETE FROM publishers)", "syntax error"},
      {"WHERE (PRAGMA user_version)", "syntax error"},
      {"WHERE SELECT 1", "parentheses"},
      {"WHERE joined = RAISE(ABORT, 'x')", "RAISE"},
      // Other tables.
      {"WHERE name IN (SELECT name FROM sqlite_master)", "sqlite_master cannot be read"},
      {"WHERE EXISTS (SELECT 1 FROM sqlite_schema)", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM sqlite_temp_master)", "publishers and json_each"},
      {"WHERE name IN (SELECT name FROM pragma_table_info('publishers'))",
       "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM pragma_database_list)", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM pragma_user_version)", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM json_tree(attributes))", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM generate_series(1, 9))", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM dbstat)", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM sqlite_stmt)", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM nobody)", "publishers and json_each"},
      {"WHERE (SELECT count(*) FROM temp.publishers)", "publishers and json_each"},
      {"WHERE rowid", "no such column"},
      {"WHERE \"text\" = name", "no such column"},
      // What multiplies in compiling.
      {"WHERE (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT max(x) FROM c)",
       "without WITH"},
      {"WITH x AS (SELECT 1) SELECT 1", "without WITH"},
      {"WHERE (SELECT count(*) FROM (SELECT 1))", "not another subquery"},
      {"WHERE (SELECT count(*) FROM publishers JOIN ((SELECT 1)))", "not another subquery"},
      {"WHERE (SELECT count(*) FROM publishers, (SELECT 1))", "not another subquery"},
      {"WHERE (SELECT count(*) FROM publishers a, publishers b, (VALUES(1)))",
       "not another subquery"},
      {doubling, ""},
      // Functions.
      {"ORDER BY random()", "no function random"},
      {"WHERE load_extension('x')", "no function load_extension"},
      {"WHERE readfile('/etc/passwd')", "no function readfile"},
      {"WHERE writefile('x', 'y')", "no function"},
      {"WHERE length(randomblob(1000000000))", "no function randomblob"},
      {"WHERE length(zeroblob(1000000000))", "no function zeroblob"},
      {"WHERE length(printf('%.1000000000c', 'x'))", "no function printf"},
      {"WHERE format('%1000000d', 1)", "no function format"},
      {"WHERE replace('aaaa', 'a', 'aaaaaaaaaaaaaaaa')", "no function replace"},
      {"WHERE hex(attributes)", "no function hex"},
      {"WHERE quote(attributes)", "no function quote"},
      {"WHERE instr(attributes, 'a')", "no function instr"},
      {"WHERE trim(attributes, 'a')", "no function trim"},
      {"WHERE group_concat(attributes)", "no function group_concat"},
      {"WHERE (SELECT json_group_array(attributes) FROM publishers)", "no function"},
      {"WHERE fts5(1)", "no function"},
      {"WHERE sqlite_version() = ''", "no function"},
      {"WHERE changes()", "no function"},
      {"WHERE last_insert_rowid()", "no function"},
      {"WHERE datetime('now') > 3", "no function"},
      {"ORDER BY CURRENT_TIMESTAMP", "no function"},
      {"WHERE name LIKE '%a%a%a%a%a%'", "no LIKE"},
      {"WHERE name GLOB '*a*a*a*'", "no GLOB"},
      {"WHERE name MATCH 'a'", "no function match"},
      {"WHERE name REGEXP 'a'", "no function REGEXP"},
      {"WHERE soundex(name)", "no function"},
      {"WHERE nobody()", "no function nobody"},
      {"ORDER BY name COLLATE nobody", "no such collation"},
      // Too much.
      {many_tables, "takes too long"},
      {"ORDER BY (SELECT count(*) FROM publishers a, publishers b WHERE a.fps + b.fps > "
       "publishers.fps)",
       "takes too long"},
      {"WHERE (SELECT max(a.loudness * b.loudness * c.loudness) FROM publishers a JOIN publishers "
       "b "
       "CROSS JOIN publishers c)",
       "takes too long"},
      {"WHERE (SELECT count(*) FROM (publishers a, publishers b))", "not another subquery"},
      {growing + ")", "more than 2048 bytes"},
      {wide, "too many terms"},
      {sum, "maximum depth"},
      {compound + ")", "too many terms in compound"},
      {in_select + ")", "too many columns"},
      {joined + ")", ""},
      {"WHERE " + std::string(33, '(') + "1" + std::string(33, ')'), "more than 32"},
      {"WHERE " + std::string(500, '('), "more than 32"},
      {"WHERE " + std::string(100, '-') + "1", "comment"},
      {"WHERE max(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", "too many arguments"},
      {"ORDER BY '" + std::string(1 << 20, 'a') + "'", "has 1048587 bytes"},
      {std::string(kMaxCriterion + 1, ' '), "at most 1024"},
      // Bytes.
      {std::string("WHERE 1\0; DROP TABLE publishers", 31), "control character"},
      {std::string("\0", 1), "control character"},
      {"WHERE '\x1b[2J'", "control character"},
      {"WHERE '\xff'", "no UTF-8"},
      {"WHERE '\xc0\xaf'", "no UTF-8"},
      {"WHERE '\xed\xa0\x80'", "no UTF-8"},
      {"WHERE '\xf4\x90\x80\x80'", "no UTF-8"},
      {"WHERE '\xe2\x82", "no UTF-8"},
      {"ＷＨＥＲＥ 1", "begins with"},
      {"WHERE\u00a0"
       "1",
       "begins with"},
      {"\ufeffWHERE 1", "begins with"},
      {"WHERE name = ‘ann’", "no such column"},
      {"WHERE 1\u2028; DROP", "semicolon"},
      {"'", "never closed"},
      {"\"", "never closed"},
      {"(", "never closed"},
      {")", "never opened"},
      {"WHERE x'0g'", "unrecognized token"},
      {"WHERE 1ORDER BY 2", "unrecognized token"},
  };
}

TEST(Preference, HostileCriteriaAreRefusedInAFullRoom) {
  PublisherTable table = room_of(100);
  json large = {{"a", std::string(900, 'a')}};
  add(table, "large", 0s, large);
  for (const auto& [text, because] : hostile_criteria()) {
    const std::string answer = refusal(table, text);
    EXPECT_FALSE(answer.empty()) << text;
    EXPECT_LT(answer.size(), 1000u) << text;
    EXPECT_NE(answer.find(because), std::string::npos) << text << "\n  " << answer;
  }
  EXPECT_EQ(best(table, "", kMaxSeats).size(), kMaxSeats);
  EXPECT_EQ(best(table, "WHERE (SELECT count(*) FROM publishers) = 101", 2),
            (Names{"large", "p0"}));
}

TEST(Preference, MemoryIsBoundedByTheSteps) {
  PublisherTable table;
  for (int i = 0; i < 200; ++i) {
    add(table, "p" + std::to_string(i), 0s, {{"a", std::string(900, 'a') + std::to_string(i)}});
  }
  sqlite3_memory_highwater(1);
  for (const char* text :
       {"WHERE (SELECT count(DISTINCT a.attributes || b.attributes) FROM publishers a, publishers "
        "b)",
        "WHERE 1 IN (SELECT a.attributes || b.attributes FROM publishers a, publishers b)",
        "WHERE (SELECT a.name FROM publishers a, publishers b ORDER BY a.attributes || "
        "b.attributes)",
        "WHERE 1 IN (SELECT a.attributes || b.name FROM publishers a, publishers b UNION SELECT "
        "b.attributes || a.name FROM publishers a, publishers b)"}) {
    EXPECT_NE(refusal(table, text).find("takes too long"), std::string::npos)
        << text << ": " << refusal(table, text);
  }
  EXPECT_LT(sqlite3_memory_highwater(0), 64 << 20);
}

// docs/preferences.md

std::string page() {
  std::ifstream in(QVID_PREFERENCES);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The room of the page: rows | `name` | joined | `{...}` |
PublisherTable room_of_the_page() {
  PublisherTable table;
  const std::regex row(R"(\| `([^`]+)` \| ([0-9.]+) \| `(\{.*\})` \|)");
  for (const std::string& line : lines_of(page())) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    add(table, match[1], qvid::from_seconds(std::stod(match[2])), json::parse(match[3].str()));
  }
  return table;
}

TEST(PreferencesPage, EveryExampleGivesWhatItSays) {
  PublisherTable table = room_of_the_page();
  EXPECT_EQ(table.size(), 6u);
  const std::string text = page();
  const std::regex example("```sql\n([^`]*)```\n\ngives ([^\n]*)\n");
  const std::regex name("`([^`]+)`");
  int examples = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), example), end; i != end; ++i, ++examples) {
    const std::string gives = (*i)[2];
    Names expected;
    for (std::sregex_iterator j(gives.begin(), gives.end(), name); j != end; ++j) {
      expected.push_back((*j)[1]);
    }
    EXPECT_EQ(best(table, (*i)[1].str(), 4), expected) << (*i)[1];
  }
  EXPECT_EQ(examples, 8);
  std::size_t blocks = 0;
  for (auto at = text.find("```sql"); at != std::string::npos; at = text.find("```sql", at + 1)) {
    ++blocks;
  }
  EXPECT_EQ(blocks, 8u) << "one without what it gives";
}

TEST(PreferencesPage, EveryRefusalReadsAsItSays) {
  PublisherTable table = room_of_the_page();
  const std::regex row(R"(\| `([^|]*)` \| ([^|]*) \|)");
  int rows = 0;
  bool refusals = false;
  for (const std::string& line : lines_of(page())) {
    if (line.starts_with("#")) refusals = line == "## Refusals";
    std::smatch match;
    if (!refusals || !std::regex_match(line, match, row)) continue;
    ++rows;
    std::string answer = match[2];
    const std::string said = refusal(table, match[1].str());
    if (answer.ends_with(" ...")) {
      answer.resize(answer.size() - 4);
      EXPECT_TRUE(said.starts_with(answer)) << match[1] << ": " << said;
    } else {
      EXPECT_EQ(said, answer) << match[1];
    }
  }
  EXPECT_GE(rows, 8);
}

TEST(PreferencesPage, EveryFunctionIsThere) {
  PublisherTable table = room_of_the_page();
  const std::string text = page();
  const auto begin = text.find("- Functions: ");
  ASSERT_NE(begin, std::string::npos);
  const std::string list = text.substr(begin, text.find("\n- ", begin) - begin);
  const std::regex name("`([a-z_0-9]+)`");
  int functions = 0;
  for (std::sregex_iterator i(list.begin(), list.end(), name), end; i != end; ++i, ++functions) {
    const std::string function = (*i)[1];
    std::string last;
    for (const char* arguments : {"()", "(1)", "('{}', '$.x')", "(1, 1)", "(1, 1, 1)"}) {
      last = refusal(table, "WHERE " + function + arguments + " IS NULL");
      if (last.empty()) break;
    }
    EXPECT_TRUE(last.empty()) << function << ": " << last;
  }
  EXPECT_GE(functions, 40);
}

}  // namespace
}  // namespace qps
