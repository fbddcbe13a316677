// The experiments that there are, in the order of docs/results.md. Each has its own file in
// papers/: declare it in papers/papers.h, and give it its place in this list.
#include <algorithm>
#include <vector>

#include "lab/experiments/experiment.h"
#include "lab/experiments/papers/papers.h"

namespace qvid::lab {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all{
      kLatency8,   kLatency16,     kLatency24,    kLatency32,   kLatencyTcp, kMixed,
      kDuel,       kNeighbours,    kLines,        kCrowd,       kJoin,       kStep,
      kWindow,     kVideos,        kLatencyBound, kImportance,  kQuality,    kMinBuf,
      kSegments,   kQueues,        kUnresponsive, kMtp,         kUdpShares,  kChannels,
      kSwitching,  kSwitchingRoom, kStored,       kGoddard,     kViewers,    kSound,
      kMouthToEar, kVoiceLoss,     kLipsync,      kLipsyncRoom, kGlass,      kLayersShown,
      kGuests,     kHerd,          kAdversaries,  kFaults,      kChurn,      kCluster};
  return all;
}

const Experiment* find_experiment(std::string_view name) {
  const auto all = experiments();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Experiment& e) { return e.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace qvid::lab
