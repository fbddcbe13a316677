// `qvid-lab experiment`: measures on the test bed what the papers measured, and writes what came
// out; `qvid-lab results`: makes docs/results.md of that.
//
// Exit codes of experiment: 0 measured, whatever the targets say; 1 a run failed; 2 wrong command
// line; 125 the lab itself failed; 130 stopped by a signal.
#pragma once

#include "lab/run.h"

namespace qvid::lab {

// As for add_run.
Run add_experiment(CLI::App& lab, const CommonOptions& common);
Run add_results(CLI::App& lab, const CommonOptions& common);

}  // namespace qvid::lab
