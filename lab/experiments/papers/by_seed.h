// Runs that are made again with other seeds: a flow's luck decides more than most settings do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.h"
#include "lab/experiments/papers/tables.h"

namespace qvid::lab {

// How many seeds: what was asked for, else `full` or `brief`.
std::size_t seeds_of(const ExperimentOptions& options, std::size_t brief, std::size_t full);

// The run once for each seed from the options' on; its name gets ", seed=N" behind it, one word of
// --only. Its link gets the same seed, by which a rate walks.
void add_with_seeds(std::vector<RunSpec>& runs, const RunSpec& run, std::size_t seeds,
                    const ExperimentOptions& options);
// Those of them that did not fail.
std::vector<const RunResult*> of_all_seeds(std::span<const RunResult> results,
                                           std::string_view name);

// One value of each seed.
class BySeed {
 public:
  struct Value {
    std::uint64_t seed = 0;
    double value = 0;

    Cell seed_cell() const;  // nothing where nothing was measured
  };

  // What is no number was not measured, and is left out.
  void add(std::uint64_t seed, double value);
  bool empty() const { return values_.empty(); }
  double median() const;  // of all three: kNothingMeasured where there is none
  Value least() const;
  Value greatest() const;
  std::size_t count() const { return values_.size(); }
  // "1: 0.71, 2: 0.83".
  std::string text() const;
  // A mark for each seed.
  Series marks(std::string name) const;

 private:
  std::vector<Value> values_;
};

}  // namespace qvid::lab
