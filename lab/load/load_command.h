// `qvid-lab load`: a broker's load test. Publishers and subscribers of one process, so that delays
// are exact. With --herd, how many come back to a broker that is killed.
//
// Exit codes: 0 measured, 1 nothing arrived or not all came back, 2 wrong command line, 3 no connection, 4 refused.
#pragma once

#include "lab/run.h"

namespace qvid::lab {

Run add_load(CLI::App& lab, const CommonOptions& common);

}  // namespace qvid::lab
