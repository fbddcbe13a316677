// How far sound and picture were apart, from what came out of a player that played `test:sync`
// (media/source/sync_scene.h): each second a flash and a beep of one instant.
//
//   flash   a picture brighter by kFlashRise than the one before it
//   beep    a level over kBeepLevel after kQuietTime without one
//   error   = flash - beep of a pair: positive where the picture was late
//
// A pair is a flash and the beep nearest to it, within kMostApart, each of one pair at most. What
// is measured is what came out: that a picture stands for 33 ms is in it.
//
// Pure; times are seconds of the steady clock.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/bed/output_table.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {

inline constexpr double kFlashRise = 60;   // luma; the flash rises by 219
inline constexpr double kSameFlash = 0.3;  // s; a rise in two steps is one flash
inline constexpr double kBeepLevel = -35;  // dBFS; the beep has -15
inline constexpr double kQuietTime = 0.2;  // s
inline constexpr double kMostApart = 0.5;  // s
inline constexpr double kSyncPeriod = 1;   // s

std::vector<double> flash_onsets(const std::vector<OutputValue>& pictures);
std::vector<double> sound_onsets(const std::vector<OutputValue>& levels);

struct SyncError {
  double at = 0;  // of the beep
  double ms = 0;
};
struct SyncMeasure {
  std::vector<SyncError> errors{};  // by time
  // Of one each kSyncPeriod, those that did not come.
  std::size_t missing_flashes = 0;
  std::size_t missing_beeps = 0;

  std::vector<double> absolute_ms() const;
};
// Of what came out in the span.
SyncMeasure measure_sync(const OutputTable& output, TimeSpan span);

// Of events that come each `period`, how many did not between the span's ends: between two, and
// before the first and behind the last where there was time for a whole one.
std::size_t missing_in(const std::vector<double>& events, TimeSpan span, double period);

}  // namespace qvid::lab
