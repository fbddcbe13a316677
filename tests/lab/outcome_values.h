// What an experiment's outcome says, by name. Throws std::invalid_argument where there is no such.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "lab/experiments/experiment.h"

namespace qvid::lab {

inline double number(const Table& table, std::size_t row, std::string_view column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return std::get<double>(table.rows.at(row).at(i));
  }
  throw std::invalid_argument("no such column");
}

inline double target(const Outcome& outcome, std::string_view what) {
  for (const Target& t : outcome.targets) {
    if (t.what == what) return t.got;
  }
  throw std::invalid_argument("no such target");
}

}  // namespace qvid::lab
