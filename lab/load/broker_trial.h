// Runs what a BrokerTrial describes: a broker as a process of its own, a publisher and viewers in
// this one, and meanwhile an adversary or a fault. Or a herd.
//
//   join   warm-up: the adversary begins       measured: the fault is a second behind its begin
#pragma once

#include <stop_token>

#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

// Blocks for the spec's duration and a little more. Precondition: spec.trial. Throws
// std::runtime_error where the broker does not start; what else fails is in the result's `error`.
RunResult try_broker(const RunSpec& spec, const std::stop_token& stop);

}  // namespace qvid::lab
