// The rate of a cellular link at random, by the model that Sprout was made with (Winstein, Sivaraman
// and Balakrishnan, "Stochastic forecasts achieve high throughput and low delay over cellular
// networks", NSDI 2013, section 3.1): it moves as a Brownian motion, and where it comes to nothing it
// rests there for a second in the mean. The paper's has a standard deviation of 200 packets, 2.4
// Mbit/s, after a second.
//
// Ours is turned back at twice `mean`, where the paper's stops at 1000 packets, and is pulled towards
// `mean` with a time constant of kPull: without it half a minute in one is no line at all.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/emulator/rate_schedule.h"

namespace qvid::lab {

inline constexpr Duration kWalk = 120s;      // longer than most runs
inline constexpr Duration kWalkStep = 20ms;  // the paper's
inline constexpr Duration kPull = 8s;

// Steps for kWalk, one each kWalkStep; the same ones for the same seed. `spread`: the standard
// deviation after a second. Precondition: both positive, and `spread` at most `mean`.
std::vector<RateStep> walked(DataRate mean, DataRate spread, std::uint64_t seed);

}  // namespace qvid::lab
