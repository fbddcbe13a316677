// What a Goddard client found, by its measures (004 section 5.2.3).
#pragma once

#include <utility>
#include <vector>

#include "media/stored/streaming_measures.h"

namespace qvid::lab {

struct GoddardResult {
  // Levels are scales and one: 1 is scale 0, and 0 a frame that was lost.
  media::StreamingMeasures::Summary measures{};
  // Of frames as they are received, where it changes: seconds since the run's begin, scale.
  std::vector<std::pair<double, int>> scales{};
  std::vector<double> rebuffered{};  // seconds since the run's begin
  // Of frames received one after the other, over the frames between them that were lost and one.
  std::vector<float> intervals_ms{};
  double capacity_kbps = 0;  // by the pair of packets; 0: none came
};

}  // namespace qvid::lab
