// Experiments that put a number of videos over a link, for every sender and every value of one
// parameter, and ask what the viewers see.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/experiments/papers/tables.h"

namespace qvid::lab {

struct VideoPoint {
  std::string label;  // of the parameter's value, as in tables
  double x = 0;       // as in plots
  std::size_t videos = 8;
  Duration window{};
};

struct VideoGrid {
  std::string link;
  DataRate rate;  // of each video
  std::vector<const char*> senders;
  std::vector<VideoPoint> points;
  Length length;
};

std::vector<RunSpec> runs_of(const VideoGrid& grid, const ExperimentOptions& options);

// Of all videos of one run.
struct VideoMeasures {
  double frames_a_second = 0;        // shown
  double least_frames_a_second = 0;  // of the worst video
  double layers = 0;                 // of a frame shown, mean
  double goodput = 0;                // used over delivered
};
VideoMeasures measures_of(const RunResult& run);
// Null: it failed.
const RunResult* run_of(std::span<const RunResult> results, const char* sender,
                        const VideoPoint& point);

}  // namespace qvid::lab
