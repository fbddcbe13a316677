// What an experiment found, as data: tables, plots, targets and notes. Written as JSON by the
// experiment; the Markdown, the pictures and docs/results.md are made from that, so that a page can
// be made again without measuring again.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace qvid::lab {

struct Column {
  std::string name{};  // with its unit, where it has one: "median, ms"
  int decimals = 0;    // of numbers
  bool paper = false;  // published figures, which we did not measure
};

// Nothing: not published, or not measured.
using Cell = std::variant<std::monostate, double, std::string>;

struct Table {
  std::string title{};   // "Oldest unacked, 16 flows"
  std::string source{};  // "000 tables 3.3, 4.2 and 4.3"; empty: not in the papers
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};  // each as long as columns
};

struct Series {
  enum class Style { kLines, kPoints, kSteps, kBars };
  std::string name{};
  std::vector<std::pair<double, double>> points{};
  Style style = Style::kLines;
  bool paper = false;
};

// One of several drawings side by side in a picture: the paper's figure and ours, say.
struct Panel {
  std::string title{};
  std::string x_label{};
  std::string y_label{};
  bool log_x = false;
  bool log_y = false;
  std::optional<std::pair<double, double>> x_range{};
  std::optional<std::pair<double, double>> y_range{};
  std::vector<Series> series{};
  std::vector<std::string> x_names{};  // of bars: their points' x is an index into it
};

struct Plot {
  std::string name{};  // of the file, without suffix: lower case letters, digits and hyphens
  std::string title{};
  std::vector<Panel> panels{};
};

// A target of the project, and whether it was met.
struct Target {
  std::string what{};  // "pace, 16 flows: median oldest unacked, ms"
  double wanted = 0;
  bool at_least = false;  // else at most
  double got = 0;
  std::string reason{};  // why it was missed, where that is known

  bool met() const { return at_least ? got >= wanted : got <= wanted; }
};

struct Outcome {
  std::string name{};  // of the experiment
  std::string title{};
  std::string conditions{};  // link, flows, durations: what it takes to understand the numbers
  std::string command{};     // what made it
  std::string commit{};  // of the program; with "+" where the tree had changes; empty: not known
  double seconds = 0;    // that it took
  double late_ms = 0;    // the emulator's lateness, 99%, the worst of the runs
  std::vector<Table> tables{};
  std::vector<Plot> plots{};
  std::vector<Target> targets{};
  std::vector<std::string> notes{};   // what differs from the paper, and what was noticed
  std::vector<std::string> failed{};  // runs that failed, each a sentence
};

nlohmann::json json_of(const Outcome& outcome);
// The error says what is wrong with it.
Result<Outcome> outcome_of(const nlohmann::json& json);

}  // namespace qvid::lab
