// What queue PACE aims at, and what is more than that.
#include <algorithm>
#include <cmath>

#include "transport/control/controller_pace.h"
#include "transport/control/pace_math.h"

namespace paceline {
namespace {

using qvid::operator""ms;

// Measured on the thesis's dumbbell for 8 to 32 flows (docs/paceline.md).
constexpr Duration kThresholdFloor = 5ms;
constexpr Duration kThresholdScale = 30ms;
constexpr Duration kMostThreshold = 50ms;  // a small chunk at 0.11 Mbit/s
// Of queue, over what is usual: not to be waited out.
constexpr Duration kMostSurprise = 80ms;
constexpr double kSurpriseThresholds = 2;
constexpr double kSuspicionThresholds = 0.5;
// A window that gave way has a high threshold; competitors are told by the threshold of a crowd.
constexpr double kExcessChunks = 2;
constexpr double kMostChunkTime = 0.5;  // s

}  // namespace

Duration PaceController::crowd_aim(double chunks) const {
  return kThresholdFloor + scaled(kThresholdScale, 1 / std::sqrt(chunks));
}

// On a slow line what goes at once alone takes longer than that: then it is its time. At the flow's rate that of
// the smallest that goes at once: by what goes now, a sixth of any window, windows would all be right, equal or not.
Duration PaceController::threshold() const {
  const Duration crowd = crowd_aim(chunks());
  if (bandwidth_ <= 0) return crowd;
  const Duration own = qvid::from_seconds(std::min(smallest() / bandwidth_, kMostChunkTime));
  return std::max({crowd, std::min(kThresholdFloor + own, Duration(kMostThreshold)),
                   kThresholdFloor + line_time()});
}

Duration PaceController::line_time() const {
  return line_rate_ > 0 ? qvid::from_seconds(std::min(at_once() / line_rate_, kMostChunkTime))
                        : Duration{};
}

Duration PaceController::suspicion() const {
  return usual_queue_ + usual_spread_ + scaled(threshold(), kSuspicionThresholds);
}

Duration PaceController::surprise() const {
  if (!used_.most()) return kMostSurprise;  // what is usual is not known yet
  return std::min(usual_queue_ + usual_spread_ + scaled(threshold(), kSurpriseThresholds),
                  Duration(kMostSurprise));
}

Duration PaceController::kind_aim() const { return crowd_aim(kExcessChunks) + line_time(); }

Duration PaceController::excess_aim() const {
  return crowd_aim(std::max(chunks(), kExcessChunks)) + line_time();
}

}  // namespace paceline
