// Runs what a ClusterTrial describes, on a ClusterBed: `qvid publish` and `qvid watch` at its nodes.
//
//   node a (which goes):       Ann, who is shown; at-a, who watches Bob
//   node b:                    Bob, who is shown; at-b, who watches Ann
//   node c (which is cut off):                    at-c, who watches Bob
//
// A gap is the longest time between two pictures that one of the watching was shown, from the fault on.
// Where all nodes are restarted, nine parties are in a call instead, three at each, 160x120 at 30 pictures a
// second; of each the longest gap is told of any of the others' pictures.
// What a hop costs is measured in this process, by items that are published at a and come at a and b.
#pragma once

#include <stop_token>

#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

// Blocks for some 15 s, where all nodes are restarted for 60, whatever the spec's duration says. Precondition:
// spec.cluster, and root. What fails is in the result's `error`; that there is no nats-server, too.
RunResult try_cluster(const RunSpec& spec, const std::stop_token& stop);

}  // namespace qvid::lab
