// The experiments, one file each; registry.cc puts them in order.
#pragma once

#include "lab/experiments/experiment.h"

namespace qvid::lab {

extern const Experiment kLatencyTcp;
extern const Experiment kLatency8;
extern const Experiment kLatency16;
extern const Experiment kLatency24;
extern const Experiment kLatency32;
extern const Experiment kMixed;
extern const Experiment kDuel;
extern const Experiment kNeighbours;
extern const Experiment kLines;
extern const Experiment kCrowd;
extern const Experiment kStep;
extern const Experiment kJoin;
extern const Experiment kMinBuf;
extern const Experiment kWindow;
extern const Experiment kVideos;
extern const Experiment kLatencyBound;
extern const Experiment kImportance;
extern const Experiment kQuality;
extern const Experiment kSegments;
extern const Experiment kQueues;
extern const Experiment kUnresponsive;
extern const Experiment kMtp;
extern const Experiment kUdpShares;
extern const Experiment kChannels;
extern const Experiment kSwitching;
extern const Experiment kSwitchingRoom;
extern const Experiment kStored;
extern const Experiment kGoddard;
extern const Experiment kViewers;
extern const Experiment kSound;
extern const Experiment kMouthToEar;
extern const Experiment kVoiceLoss;
extern const Experiment kLipsync;
extern const Experiment kLipsyncRoom;
extern const Experiment kGlass;
extern const Experiment kLayersShown;
extern const Experiment kGuests;
extern const Experiment kHerd;
extern const Experiment kAdversaries;
extern const Experiment kFaults;
extern const Experiment kChurn;
extern const Experiment kCluster;

}  // namespace qvid::lab
