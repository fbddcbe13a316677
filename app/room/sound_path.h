// What the path of a room's sound carries where no picture goes beside it, which would measure it:
// sound alone is too small to. It has room as long as the way to the broker shows no queue and no
// competitor, and no listener is told to have less: `demand` is the broker's word of the weakest,
// which is no bound from ReceiverRate::kBegin on (there it says no more); zero: not known. So is the
// result where the way is not known either.
//
// Pure. Thread: any.
#pragma once

#include <algorithm>

#include "base/units.h"
#include "transport/rate/receiver_rate.h"
#include "transport/session/signals.h"

namespace qvid::app {

// More than radio links add to a round trip by themselves.
inline constexpr Duration kSoundQueue = std::chrono::milliseconds(40);

inline DataRate sound_path(const paceline::SessionSignals& up, DataRate demand) {
  if (up.rtt == Duration::zero()) return {};
  const bool queue = up.rtt > up.empty_rtt() + kSoundQueue;
  const DataRate own = DataRate::from_kbps(queue || up.competing ? 300 : 1000);
  const bool bound = demand > DataRate() && demand < paceline::ReceiverRate::kBegin;
  return bound ? std::min(own, demand) : own;
}

}  // namespace qvid::app
