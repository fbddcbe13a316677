// Runs what a RunSpec describes: real TCP and UDP sockets of this kernel in two network namespaces,
// with the emulated link between them. Senders live on one thread, receivers on another, and both
// read the same steady clock.
#pragma once

#include <stop_token>

#include "lab/bed/run_result.h"
#include "lab/bed/run_spec.h"

namespace qvid::lab {

// Blocks for the spec's duration and a little more; any thread, several at once (each has its own
// link). What fails is in the result's `error`. Stopped early: the result says so in `error`.
RunResult run_on_bed(const RunSpec& spec, const std::stop_token& stop);

}  // namespace qvid::lab
