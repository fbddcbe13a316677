// An experiment: runs to be made, and what to make of their results. One file each in this folder;
// registry.cc lists them. Both functions are pure, so that they are tested without a network.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"
#include "lab/experiments/outcome.h"

namespace qvid::lab {

struct ExperimentOptions {
  bool full = false;       // the paper's durations; else three minutes in all, two runs at a time
  double stretch = 1;      // of the durations of the short form
  std::uint64_t seed = 1;  // of links, workloads and starts
};

struct Experiment {
  std::string_view name;  // as in `./run lab NAME`
  std::string_view title;
  std::string_view source;  // paper, table and figure
  std::vector<RunSpec> (*plan)(const ExperimentOptions&);
  // `results` in the order of the plan. Fills title, conditions, tables, plots, targets and notes;
  // the driver does the rest. Results with an error are to be left out.
  Outcome (*evaluate)(const ExperimentOptions&, std::span<const RunResult> results);
};

// All, in the order of docs/results.md.
std::span<const Experiment> experiments();
// Null: there is none of that name.
const Experiment* find_experiment(std::string_view name);

}  // namespace qvid::lab
