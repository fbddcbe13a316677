#include "lab/emulator/rate_walk.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "lab/emulator/link_spec.h"
#include "lab/emulator/uniform.h"

namespace qvid::lab {

std::vector<RateStep> walked(DataRate mean, DataRate spread, std::uint64_t seed) {
  constexpr double kRest = 1.0;                          // s, mean
  constexpr std::uint64_t kWalks = 0xd1b54a32d192ed03u;  // not the numbers of the losses
  const double step = to_seconds(kWalkStep);
  const auto middle = static_cast<double>(mean.bps());
  const auto least = static_cast<double>(kMinRate.bps());
  std::mt19937_64 random(seed ^ kWalks);
  // Steps of one size to either side: of many, the sum is as a Brownian motion's.
  const double move = static_cast<double>(spread.bps()) * std::sqrt(step);
  std::vector<RateStep> steps;
  double rate = middle;
  for (Duration at{}; at < kWalk; at += kWalkStep) {
    // One of each for every step, so that a walk does not depend on what became of it.
    const double moved = uniform(random) < .5 ? -move : move;
    const bool rested = uniform(random) < step / kRest;
    const bool leaves = rate <= 0 && rested;
    if (rate > 0 || leaves) {
      rate += (leaves ? move : moved) + (middle - rate) * step / to_seconds(kPull);
    }
    if (rate > 2 * middle) rate = 4 * middle - rate;
    if (rate < least) rate = leaves ? least : 0;
    steps.push_back({at, std::min(DataRate::from_bps(static_cast<std::int64_t>(rate)), kMaxRate)});
  }
  return steps;
}

}  // namespace qvid::lab
