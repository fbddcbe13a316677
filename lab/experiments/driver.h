// Makes the runs of an experiment, several at a time, and puts the outcome together. How a run is
// made is handed in, so that all of this is tested without a network.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/units.h"
#include "lab/experiments/experiment.h"

namespace qvid::lab {

// Called on several threads at once; blocks until the run is over or `stop` asks for its end.
using RunFunction = std::function<RunResult(const RunSpec&, const std::stop_token&)>;

enum class RunPhase { kBegins, kEnds };
// Called by one thread at a time. `index` is the run's in the plan; `result` is of kEnds.
using RunListener = std::function<void(RunPhase, std::size_t index, const RunResult* result)>;

// How many of these runs at a time, where `jobs` are asked for: one, where any has to be alone.
std::size_t runs_at_once(std::span<const RunSpec> specs, std::size_t jobs);

// One result for each spec, in their order. At most runs_at_once threads, and never more than runs.
// After `stop` no run begins; those that did not begin say so in `error`. An exception out of `run`
// is that run's error.
std::vector<RunResult> make_runs(std::span<const RunSpec> specs, std::size_t jobs,
                                 const RunFunction& run, const RunListener& listener,
                                 const std::stop_token& stop);

// Where the outcome came from.
struct Origin {
  std::string command;
  std::string commit;
  Duration took{};
};

// The experiment's evaluation, with what the driver knows: name, origin, lateness, failed runs.
Outcome outcome_of_runs(const Experiment& experiment, const ExperimentOptions& options,
                        std::span<const RunResult> results, const Origin& origin);

// How long runs take that begin one after the other, `jobs` at a time. `begun`: what is left of
// those that run already.
Duration time_for(std::span<const Duration> waiting, std::span<const Duration> begun,
                  std::size_t jobs);

// `git describe` of the current folder; empty where that says nothing.
std::string commit_here();

}  // namespace qvid::lab
