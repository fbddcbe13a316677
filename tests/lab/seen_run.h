// Results of runs between displays, made by hand.
#pragma once

#include "lab/bed/run_result.h"
#include "lab/glass/clock_time.h"

namespace qvid::lab {

inline constexpr Timestamp kSeenFrom = Timestamp(5000s);

// The run with every picture, `delay` after its time.
inline RunResult seen(const RunSpec& spec, Duration delay) {
  RunResult result;
  result.spec = spec;
  result.begin = kSeenFrom;
  result.measured = spec.duration - spec.warm_up;
  for (std::int64_t n = number_at(kSeenFrom); time_of_number(n) + delay < kSeenFrom + spec.duration;
       ++n) {
    result.glass.sightings.push_back({time_of_number(n) + delay, n});
  }
  result.link.up.bytes = 1'000'000;
  return result;
}

}  // namespace qvid::lab
