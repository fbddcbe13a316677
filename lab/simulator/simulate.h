// `simulate`: an experiment on the simulated dumbbell, for people, as JSON or as CSV.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace qvid::lab::simulator {

// Adds the sub-command; gives what to run, which gives the exit code (0: done, 2: bad options).
std::function<int()> add_simulate(CLI::App& app);

}  // namespace qvid::lab::simulator
