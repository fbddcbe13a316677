// How late packets of sound may be on a path in trouble, before any has been: a segment that TCP
// lost is repaired a round trip after it was missed. So the first loss is no gap. Datagrams, by
// which sound goes where they pass, wait for no repair.
#pragma once

#include "transport/session/signals.h"

namespace qvid::app {

inline Duration late_sound(const paceline::SessionSignals& signals) {
  constexpr Duration kMissed = std::chrono::milliseconds(60);  // three packets tell of a loss
  return signals.peer_in_trouble && !signals.udp ? signals.rtt * 5 / 4 + kMissed : Duration::zero();
}

}  // namespace qvid::app
