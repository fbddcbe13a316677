// The one clock of a run: both ends count their slots from the same begin.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/units.h"
#include "lab/bed/run_result.h"

namespace qvid::lab {

struct RunClock {
  Timestamp begin{};
  Duration warm_up{};
  Duration duration{};

  static Timestamp now() {
    return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
  }
  std::size_t slots() const { return static_cast<std::size_t>((duration + kSlot - 1ns) / kSlot); }
  // Of a moment in the run; those after its end belong to the last slot, those before to the first.
  std::size_t slot(Timestamp at) const {
    const Duration since = std::clamp(at - begin, Duration(0), std::max(duration - 1ns, 0ns));
    return static_cast<std::size_t>(since / kSlot);
  }
  // A frame counts where all of its window is in the measured time: one at the end had no chance.
  bool frame_counts(Timestamp captured, Duration window) const {
    return measured(captured) && captured + window - begin < duration;
  }
  bool measured(Timestamp at) const { return at - begin >= warm_up && at - begin < duration; }
};

}  // namespace qvid::lab
