// What one receiver can still decode, as its sender knows it.
//
// Model: a unit under way will arrive or be reported lost. A unit can be decoded while all it
// depends on is under way or has arrived; a unit that is lost takes with it all that needs it,
// directly or not. So nothing is sent that could not be decoded, and a layer that was broken goes
// on at its next synchronisation point, or where the encoder refers to something older than the
// loss (CodedUnit::depends_on says so).
//
// Bound: units of the last kMaxReferenceDistance frames. Pure. Thread: one at a time.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "media/unit/coded_frame.h"

namespace qvid::media {

// One unit of a video.
struct UnitKey {
  FrameNumber frame;
  std::uint8_t layer = 0;
  auto operator<=>(const UnitKey&) const = default;
};

class DependencyTracker {
 public:
  // A unit that could be sent now; frames come in order. True: it can be decoded, and counts as
  // under way from now on. False: it cannot, and counts as lost.
  bool admit(FrameNumber frame, const CodedUnit& unit);
  // It will not arrive, or is of no use any more. Gives what was under way or has arrived and can
  // no longer be decoded for it, the unit itself not among it; nothing where that was known before.
  std::vector<UnitKey> on_lost(UnitKey unit);

  // It was admitted, and nothing that it needs was lost since.
  bool usable(const UnitKey& key) const;
  // The layer waits for a unit that depends on nothing lost: the latest that later frames need
  // could not be sent.
  bool broken(std::uint8_t layer) const { return layer < kMaxUnits && broken_[layer]; }
  // Forgets all: what comes next begins anew.
  void restart();

 private:
  struct Unit {
    bool lost = false;
    std::vector<UnitKey> needs;
  };
  void forget_old(FrameNumber newest);

  std::map<UnitKey, Unit> units_;
  std::array<bool, kMaxUnits> broken_{};
};

}  // namespace qvid::media
