// Many random settings of the line, so that a controller is not tuned to one: what holds on each,
// and on how many.
//
// Flows of one kind are multiplied, 2 to 32, and should share a short queue; of several kinds the
// first should hold its share against the others, which keep theirs.
#pragma once

#include <cstdint>
#include <string>

#include "lab/simulator/experiment.h"

namespace qvid::lab::simulator {

// The setting of this seed: rate 1..100 Mbit/s, round trip 5..300 ms, queue 0.5 bandwidth-delay
// products to 2 s, all log-uniform; half of the runs greedy, half at `like`'s demand. Times and
// kinds are those of `like`.
Experiment random_setting(const Experiment& like, std::uint64_t seed);

struct Verdict {
  bool prompt = false;  // median within 60 ms of the empty line's; several kinds: as the first's
  bool fair = false;    // Jain of 500 ms from 0.9; several kinds: the first has 0.6, others 0.8
};
Verdict judge(const Experiment& experiment, const ExperimentResult& result);

}  // namespace qvid::lab::simulator
