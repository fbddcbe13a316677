#include "lab/experiments/outcome.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lab/experiments/outcome_reader.h"

namespace qvid::lab {
namespace {

using nlohmann::json;

// JSON has no word for what is not finite: null.
json number(double value) { return std::isfinite(value) ? json(value) : json(); }

json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* value = std::get_if<double>(&cell)) return number(*value);
  return {};
}

json json_of(const Table& table) {
  json columns = json::array();
  for (const Column& c : table.columns) {
    columns.push_back({{"name", c.name}, {"decimals", c.decimals}, {"paper", c.paper}});
  }
  json rows = json::array();
  for (const auto& row : table.rows) {
    json cells = json::array();
    for (const Cell& cell : row) cells.push_back(json_of(cell));
    rows.push_back(std::move(cells));
  }
  return {{"title", table.title}, {"source", table.source}, {"columns", columns}, {"rows", rows}};
}

std::string_view name_of(Series::Style style) {
  switch (style) {
    case Series::Style::kLines: return "lines";
    case Series::Style::kPoints: return "points";
    case Series::Style::kSteps: return "steps";
    case Series::Style::kBars: break;
  }
  return "bars";
}

json json_of(const Series& series) {
  json points = json::array();
  for (const auto& [x, y] : series.points) {
    if (std::isfinite(x) && std::isfinite(y)) points.push_back(json::array({x, y}));
  }
  return {{"name", series.name},
          {"points", points},
          {"style", name_of(series.style)},
          {"paper", series.paper}};
}

json json_of(const std::optional<std::pair<double, double>>& range) {
  return range ? json::array({range->first, range->second}) : json();
}

json json_of(const Plot& plot) {
  json panels = json::array();
  for (const Panel& p : plot.panels) {
    json series = json::array();
    for (const Series& s : p.series) series.push_back(json_of(s));
    panels.push_back({{"title", p.title},
                      {"x_label", p.x_label},
                      {"y_label", p.y_label},
                      {"log_x", p.log_x},
                      {"log_y", p.log_y},
                      {"x_range", json_of(p.x_range)},
                      {"y_range", json_of(p.y_range)},
                      {"series", series},
                      {"x_names", p.x_names}});
  }
  return {{"name", plot.name}, {"title", plot.title}, {"panels", panels}};
}

}  // namespace

json json_of(const Outcome& outcome) {
  json tables = json::array();
  for (const Table& t : outcome.tables) tables.push_back(json_of(t));
  json plots = json::array();
  for (const Plot& p : outcome.plots) plots.push_back(json_of(p));
  json targets = json::array();
  for (const Target& t : outcome.targets) {
    targets.push_back({{"what", t.what},
                       {"wanted", t.wanted},
                       {"at_least", t.at_least},
                       {"got", number(t.got)},
                       {"reason", t.reason}});
  }
  return {
      {"name", outcome.name},       {"title", outcome.title},   {"conditions", outcome.conditions},
      {"command", outcome.command}, {"commit", outcome.commit}, {"seconds", outcome.seconds},
      {"late_ms", outcome.late_ms}, {"tables", tables},         {"plots", plots},
      {"targets", targets},         {"notes", outcome.notes},   {"failed", outcome.failed}};
}

namespace {

constexpr std::size_t kMostTables = 100;
constexpr std::size_t kMostColumns = 50;
constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kMostPlots = 50;
constexpr std::size_t kMostPanels = 8;
constexpr std::size_t kMostSeries = 50;
constexpr std::size_t kMostPoints = 10'000;
constexpr std::size_t kMostNames = 100;  // of bars
constexpr std::size_t kMostTargets = 500;
constexpr std::size_t kMostNotes = 500;
constexpr int kMostDecimals = 9;

Column column_of(const OutcomeReader& r) {
  r.only({"name", "decimals", "paper"});
  return {.name = r.text("name"),
          .decimals = r.whole("decimals", kMostDecimals),
          .paper = r.flag("paper")};
}

Cell cell_of(const OutcomeReader& r) {
  if (r.json().is_null()) return std::monostate();
  if (r.json().is_string()) return r.as_text();
  return r.as_number();
}

Table table_of(const OutcomeReader& r) {
  r.only({"title", "source", "columns", "rows"});
  Table table{.title = r.text("title"), .source = r.text("source"), .columns = {}, .rows = {}};
  table.columns = r.list<Column>("columns", kMostColumns, column_of);
  table.rows = r.list<std::vector<Cell>>("rows", kMostRows, [&](const OutcomeReader& row) {
    auto cells = row.as_list<Cell>(kMostColumns, cell_of);
    if (cells.size() != table.columns.size())
      row.fail("has not as many cells as there are columns");
    return cells;
  });
  return table;
}

std::pair<double, double> pair_of(const OutcomeReader& r) {
  const auto two = r.as_list<double>(2, [](const OutcomeReader& n) { return n.as_number(); });
  if (two.size() == 2) return {two[0], two[1]};
  r.fail("is not two numbers");
  return {};
}

std::optional<std::pair<double, double>> range_of(const OutcomeReader& r) {
  if (r.json().is_null()) return std::nullopt;
  const auto range = pair_of(r);
  if (range.first >= range.second) r.fail("does not go up");
  return range;
}

Series::Style style_of(const OutcomeReader& r) {
  const std::string name = r.as_text();
  for (const auto style : {Series::Style::kLines, Series::Style::kPoints, Series::Style::kSteps,
                           Series::Style::kBars}) {
    if (name == name_of(style)) return style;
  }
  r.fail("is none of lines, points, steps and bars");
  return {};
}

Series series_of(const OutcomeReader& r) {
  r.only({"name", "points", "style", "paper"});
  return {.name = r.text("name"),
          .points = r.list<std::pair<double, double>>("points", kMostPoints, pair_of),
          .style = style_of(r.field("style")),
          .paper = r.flag("paper")};
}

Panel panel_of(const OutcomeReader& r) {
  r.only(
      {"title", "x_label", "y_label", "log_x", "log_y", "x_range", "y_range", "series", "x_names"});
  return {.title = r.text("title"),
          .x_label = r.text("x_label"),
          .y_label = r.text("y_label"),
          .log_x = r.flag("log_x"),
          .log_y = r.flag("log_y"),
          .x_range = range_of(r.field("x_range")),
          .y_range = range_of(r.field("y_range")),
          .series = r.list<Series>("series", kMostSeries, series_of),
          .x_names = r.texts("x_names", kMostNames)};
}

Plot plot_of(const OutcomeReader& r) {
  r.only({"name", "title", "panels"});
  return {.name = r.file_name("name"),
          .title = r.text("title"),
          .panels = r.list<Panel>("panels", kMostPanels, panel_of)};
}

Target target_of(const OutcomeReader& r) {
  r.only({"what", "wanted", "at_least", "got", "reason"});
  const OutcomeReader got = r.field("got");
  return {.what = r.text("what"),
          .wanted = r.number("wanted"),
          .at_least = r.flag("at_least"),
          .got = got.json().is_null() ? std::numeric_limits<double>::quiet_NaN() : got.as_number(),
          .reason = r.text("reason")};
}

}  // namespace

Result<Outcome> outcome_of(const json& from) {
  std::string failure;
  const OutcomeReader r(from, "the outcome", failure);
  r.only({"name", "title", "conditions", "command", "commit", "seconds", "late_ms", "tables",
          "plots", "targets", "notes", "failed"});
  Outcome outcome{.name = r.file_name("name"),
                  .title = r.text("title"),
                  .conditions = r.text("conditions"),
                  .command = r.text("command"),
                  .commit = r.text("commit"),
                  .seconds = r.number("seconds"),
                  .late_ms = r.number("late_ms"),
                  .tables = r.list<Table>("tables", kMostTables, table_of),
                  .plots = r.list<Plot>("plots", kMostPlots, plot_of),
                  .targets = r.list<Target>("targets", kMostTargets, target_of),
                  .notes = r.texts("notes", kMostNotes),
                  .failed = r.texts("failed", kMostNotes)};
  if (!failure.empty()) return Error{failure};
  return outcome;
}

}  // namespace qvid::lab
