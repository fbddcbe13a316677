// Every example of docs/preferences.md does what the page says.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/pubsub/criteria/criteria_table.h"

namespace qps {
namespace {

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
