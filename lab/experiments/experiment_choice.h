// Which experiments a person means, and how they are listed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "lab/experiments/experiment.h"

namespace qvid::lab {

// By their names, each once, in the order in which they were named; "all": all of them. The error
// names the nearest and all that there are.
Result<std::vector<const Experiment*>> choose(std::span<const Experiment> experiments,
                                              const std::vector<std::string>& names);

// Its plan without what `options.only` leaves out. The error says which words there are.
Result<std::vector<RunSpec>> chosen_plan(const Experiment& experiment,
                                         const ExperimentOptions& options);

// How long its runs take, `jobs` at a time.
Duration planned_time(const Experiment& experiment, const ExperimentOptions& options,
                      std::size_t jobs);

// Two lines for each, and as JSON.
std::string list_of(std::span<const Experiment> experiments, const ExperimentOptions& options,
                    std::size_t jobs);
nlohmann::json json_list_of(std::span<const Experiment> experiments,
                            const ExperimentOptions& options, std::size_t jobs);

}  // namespace qvid::lab
