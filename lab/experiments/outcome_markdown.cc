#include "lab/experiments/outcome_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace qvid::lab {
namespace {

constexpr std::string_view kDash = "–";

std::string text_of(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return cell_text(*text);
  const auto* value = std::get_if<double>(&cell);
  if (value == nullptr || !std::isfinite(*value)) return std::string(kDash);
  return fmt::format("{:.{}f}", *value, column.decimals);
}

// A column of numbers, as far as it has anything.
bool is_of_numbers(const Table& table, std::size_t column) {
  bool numbers = false;
  for (const auto& row : table.rows) {
    if (column >= row.size()) continue;
    if (std::holds_alternative<std::string>(row[column])) return false;
    numbers = numbers || std::holds_alternative<double>(row[column]);
  }
  return numbers;
}

std::string markdown_of(const Table& table) {
  std::string text = "**" + cell_text(table.title) + "**";
  if (!table.source.empty()) text += " (" + cell_text(table.source) + ")";
  text += "\n\n|";
  for (const Column& c : table.columns) {
    const std::string name = cell_text(c.name);
    text += c.paper ? " *paper: " + name + "* |" : " " + name + " |";
  }
  text += "\n|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += is_of_numbers(table, i) ? " ---: |" : " --- |";
  }
  for (const auto& row : table.rows) {
    text += "\n|";
    for (std::size_t i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
      text += " " + text_of(row[i], table.columns[i]) + " |";
    }
  }
  return text + "\n";
}

std::string markdown_of(const Target& t) {
  std::string text =
      fmt::format("- {}: {}: {}, wanted {} {}", t.met() ? "met" : "**missed**", cell_text(t.what),
                  number_text(t.got), t.at_least ? "at least" : "at most", number_text(t.wanted));
  if (!t.met() && !t.reason.empty()) text += ". " + cell_text(t.reason);
  return text + "\n";
}

std::string list_of(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("\n{}\n\n", title);
  for (const std::string& line : lines) text += "- " + cell_text(line) + "\n";
  return text;
}

std::string origin_of(const Outcome& o) {
  std::string text = "`" + o.command + "`";
  if (!o.commit.empty()) text += " at commit `" + o.commit + "`";
  text += fmt::format(": {:.0f} s", o.seconds);
  return text + fmt::format("; the emulator was {} ms late (99%, the worst of the runs).\n",
                            number_text(o.late_ms));
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return std::string(kDash);
  const double size = std::abs(value);
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string cell_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      safe += ' ';
    } else if (c == '<') {
      safe += "&lt;";
    } else {
      if (std::string_view("|*`[]\\").find(c) != std::string_view::npos) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

std::string markdown_of(const Outcome& outcome, std::string_view images) {
  std::string text = "## " + cell_text(outcome.title) + "\n\n";
  if (!outcome.conditions.empty()) text += outcome.conditions + "\n\n";
  text += origin_of(outcome);
  for (const Table& table : outcome.tables) text += "\n" + markdown_of(table);
  for (const Plot& plot : outcome.plots) {
    text += fmt::format("\n![{}]({}{}.png)\n", cell_text(plot.title), images, plot.name);
  }
  if (!outcome.targets.empty()) text += "\nTargets:\n\n";
  for (const Target& target : outcome.targets) text += markdown_of(target);
  text += list_of("Notes:", outcome.notes);
  return text + list_of("Runs that failed:", outcome.failed);
}

}  // namespace qvid::lab
