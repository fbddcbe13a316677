// An experiment: runs to be made, and what to make of their results. One file each in this folder;
// registry.cc lists them. Both functions are pure, so that they are tested without a network.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"
#include "lab/experiments/outcome.h"

namespace qvid::lab {

struct ExperimentOptions {
  // The paper's durations; else three minutes in all, two runs at a time; eight of `neighbours`, one
  // seed of each. (`glass`: see there.)
  bool full = false;
  double stretch = 1;      // of the durations of the short form
  std::uint64_t seed = 1;  // of links, workloads and starts; at most kMostSeed
  // Of experiments that repeat their runs (papers/by_seed.h): with so many seeds, from `seed` on.
  // Zero: the experiment's own number.
  std::size_t seeds = 0;
  // Of the planned runs, those whose names have one of the words of each of these: "S1,S4", "qvid".
  // Empty: all.
  std::vector<std::string> only{};
};

struct Experiment {
  std::string_view name;  // as in `./run lab NAME`
  std::string_view title;
  std::string_view source;  // paper, table and figure
  std::vector<RunSpec> (*plan)(const ExperimentOptions&);
  // `results` in the order of the plan, of all runs or of those that were chosen. Fills title,
  // conditions, tables, plots, targets and notes; the driver does the rest. Results with an error
  // are to be left out.
  Outcome (*evaluate)(const ExperimentOptions&, std::span<const RunResult> results);
};

// All, in the order of docs/results.md.
std::span<const Experiment> experiments();
// Null: there is none of that name.
const Experiment* find_experiment(std::string_view name);

}  // namespace qvid::lab
