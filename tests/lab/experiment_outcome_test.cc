// Outcomes as JSON and as Markdown.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "lab/experiments/outcome.h"
#include "lab/experiments/outcome_markdown.h"
#include "tests/lab/experiment_sample.h"

namespace qvid::lab {
namespace {

using nlohmann::json;

std::string error_of(const std::function<void(json&)>& change) {
  json j = json_of(sample_outcome());
  change(j);
  const auto outcome = outcome_of(j);
  return outcome ? "" : outcome.error().message;
}

TEST(Outcome, ComesBackFromItsJson) {
  const json written = json_of(sample_outcome());
  const auto read = outcome_of(json::parse(written.dump()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(json_of(*read), written);
  EXPECT_EQ(read->tables[0].rows[0][2], Cell(20.25));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read->tables[0].rows[1][1]));
  EXPECT_EQ(read->plots[0].panels[0].y_range, (std::pair<double, double>(0, 1)));
  EXPECT_FALSE(read->plots[0].panels[0].x_range);
  EXPECT_EQ(read->plots[0].panels[0].series[1].style, Series::Style::kPoints);
  EXPECT_TRUE(read->targets[0].met());
  EXPECT_FALSE(read->targets[1].met());
}

TEST(Outcome, WhatIsNotFiniteIsLeftOut) {
  Outcome o = sample_outcome();
  const double infinite = std::numeric_limits<double>::infinity();
  o.tables[0].rows[0][2] = infinite;
  o.plots[0].panels[0].series[0].points.emplace_back(1, NAN);
  o.targets[0].got = NAN;
  const auto read = outcome_of(json::parse(json_of(o).dump()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read->tables[0].rows[0][2]));
  EXPECT_EQ(read->plots[0].panels[0].series[0].points.size(), 2u);
  EXPECT_FALSE(read->targets[0].met());
}

TEST(Outcome, ErrorsNameTheField) {
  EXPECT_EQ(error_of([](json& j) { j.erase("seconds"); }), "the outcome.seconds is missing");
  EXPECT_EQ(error_of([](json& j) { j["more"] = 1; }),
            "the outcome has a field 'more', which is unknown");
  EXPECT_EQ(error_of([](json& j) { j = 3; }), "the outcome is no object");
  EXPECT_EQ(error_of([](json& j) { j["tables"][0]["rows"][1].erase(0); }),
            "the outcome.tables[0].rows[1] has not as many cells as there are columns");
  EXPECT_EQ(error_of([](json& j) { j["plots"][0]["panels"][0]["series"][0]["style"] = "pie"; }),
            "the outcome.plots[0].panels[0].series[0].style is none of lines, points, steps and "
            "bars");
  EXPECT_EQ(error_of([](json& j) {
              j["plots"][0]["panels"][0]["y_range"] = {1, 1};
            }),
            "the outcome.plots[0].panels[0].y_range does not go up");
  EXPECT_EQ(error_of([](json& j) { j["targets"][0]["at_least"] = 0; }),
            "the outcome.targets[0].at_least is neither true nor false");
  EXPECT_EQ(error_of([](json& j) { j["tables"][0]["columns"][0]["decimals"] = 2.5; }),
            "the outcome.tables[0].columns[0].decimals is no whole number from 0 to 9");
}

TEST(Outcome, NamesOfFilesLeadNowhereElse) {
  for (const char* name : {"", "../x", "a/b", "A", "a.b"}) {
    EXPECT_NE(error_of([&](json& j) { j["plots"][0]["name"] = name; }), "") << name;
    EXPECT_NE(error_of([&](json& j) { j["name"] = name; }), "") << name;
  }
}

TEST(Outcome, SizesAreBounded) {
  EXPECT_NE(error_of([](json& j) { j["title"] = std::string(30'000, 'x'); }), "");
  EXPECT_NE(error_of([](json& j) { j["notes"] = std::vector<std::string>(501, "x"); }), "");
}

TEST(OutcomeMarkdown, IsAsItWas) {
  EXPECT_EQ(markdown_of(sample_outcome(), "images/lab/"),
            R"(## A sample \| of it

Two flows over 8 Mbit/s.

`./run lab sample` at commit `0123abcd+`: 34 s; the emulator was 0.125 ms late (99%, the worst of the runs).

**Delays** (000 table 3.3)

| sender | *paper: median, ms* | median, ms |
| --- | ---: | ---: |
| pace\|1 | 21 | 20.2 |
| cubic | – | 240.0 |

![Delay](images/lab/sample-delay.png)

Targets:

- met: median, ms: 20.25, wanted at most 25
- **missed**: share: 0.5, wanted at least 0.9. It waits.

Notes:

- The paper had 16 flows.

Runs that failed:

- cubic: the link did not come up
)");
}

TEST(OutcomeMarkdown, OfNothingIsShort) {
  Outcome o;
  o.title = "Nothing";
  o.command = "./run lab nothing";
  EXPECT_EQ(markdown_of(o, ""),
            "## Nothing\n\n`./run lab nothing`: 0 s; the emulator was 0 ms late (99%, the worst of "
            "the runs).\n");
}

TEST(OutcomeMarkdown, NumbersHaveFourFigures) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-0.0001), "0");
  EXPECT_EQ(number_text(0.02), "0.02");
  EXPECT_EQ(number_text(34.567), "34.57");
  EXPECT_EQ(number_text(100), "100");
  EXPECT_EQ(number_text(16384.4), "16384");
  EXPECT_EQ(number_text(NAN), "–");
}

TEST(OutcomeMarkdown, TextIsNoMarkup) {
  EXPECT_EQ(cell_text("a\nb|<i>*c*"), "a b\\|&lt;i>\\*c\\*");
}

}  // namespace
}  // namespace qvid::lab
