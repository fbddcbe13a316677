// What the experiments on a room of a broker in trouble do alike: a run for each trouble, and of each a
// row and what is wanted of all.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/experiments/papers/tables.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {

struct TroubleCase {
  const char* name;
  BrokerTrouble trouble;
};

inline std::vector<RunSpec> plan_troubles(std::span<const TroubleCase> cases, const Length& length,
                                          const ExperimentOptions& options) {
  std::vector<RunSpec> runs;
  for (const TroubleCase& c : cases) {
    RunSpec run{.name = c.name, .trial = BrokerTrial{.trouble = c.trouble}};
    set_length(run, length, options);
    runs.push_back(std::move(run));
  }
  return runs;
}

// Of every room; `more` behind it.
inline Table room_table(const char* what, const std::vector<Column>& more) {
  Table table{.title = "A room meanwhile",
              .columns = {{.name = what},
                          {.name = "viewers' longest gap, ms"},
                          {.name = "delay, median, ms", .decimals = 1},
                          {.name = "99%", .decimals = 1},
                          {.name = "lost, %", .decimals = 2},
                          {.name = "sessions lost"},
                          {.name = "CPU of the broker, of a core", .decimals = 2}},
              .rows = {}};
  table.columns.insert(table.columns.end(), more.begin(), more.end());
  return table;
}

// Its row; null: the run has failed. `more` as of the table.
inline void add_room(Table& table, const char* name, const BrokerTrialResult* r,
                     const std::vector<Cell>& more) {
  std::vector<Cell> row = {std::string(name)};
  if (r != nullptr) {
    row.insert(row.end(), {r->longest_gap_ms, r->delay_ms, r->delay_p99_ms, 100 * r->lost,
                           r->sessions_lost, r->broker_cpu});
    row.insert(row.end(), more.begin(), more.end());
  }
  row.resize(table.columns.size());
  table.rows.push_back(std::move(row));
}

inline void want_of_room(Outcome& outcome, const std::string& name, const BrokerTrialResult& r,
                         double most_gap_ms) {
  outcome.targets.push_back({.what = name + ": viewers' longest gap, ms",
                             .wanted = most_gap_ms,
                             .got = r.longest_gap_ms});
  outcome.targets.push_back(
      {.what = name + ": sessions lost", .wanted = 0, .got = r.sessions_lost});
}

}  // namespace qvid::lab
