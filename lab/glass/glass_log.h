// What was seen of a run: when which picture of the clock was on the glass, and how it looked.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/units.h"

namespace qvid::lab {

// The number on the glass has changed.
struct Sighting {
  Timestamp at;
  std::int64_t number = 0;  // lab/glass/clock_time.h
};

// Luma of a picture on the glass against the one that was drawn.
struct SeenQuality {
  Timestamp at;
  double psnr = 0;  // dB
  double ssim = 0;
};

// Grows by what is seen, 250 sightings a second at most, and lives as long as a run.
struct GlassLog {
  std::vector<Sighting> sightings{};  // by time
  std::vector<SeenQuality> quality{};
  std::uint64_t looks = 0;       // at a strip whose place is known
  std::uint64_t unreadable = 0;  // of them, those at a damaged one
  // By how much the clock was late with a picture: drawn, less the time that it stands for.
  std::vector<std::pair<Timestamp, Duration>> clock_late{};
};

}  // namespace qvid::lab
