// Criteria that are meant to harm: refused, and cheap.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "tests/pubsub/criteria/criteria_table.h"

namespace qps {
namespace {

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

}  // namespace
}  // namespace qps
