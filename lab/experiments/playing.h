// What a viewer saw, computed from the frames that were due at a player: gaps, quality, how soon it
// is back. Pure; times are seconds since the run's begin, as the link's schedule has them.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "lab/bed/run_result.h"

namespace qvid::lab {

// A frame at the moment at which it was on the screen, or would have been.
struct FrameInstant {
  double at = 0;  // s
  bool shown = false;
  int layer = -1;  // the highest that was shown
  double delay_ms = 0;
};
// By time. A lost frame's moment is as far behind the frame shown before it as it was due after
// it; those before the first frame shown are left out: nobody was watching yet.
std::vector<FrameInstant> instants_of(const PlayerResult& player);

struct TimeSpan {
  double from = 0;  // s
  double to = 0;    // not in it
};

struct Smoothness {
  double longest_gap_ms = 0;  // between two frames shown one after the other
  std::size_t freezes = 0;    // gaps over kFreezeMs
  std::size_t shown = 0;
  std::size_t lost = 0;
  double frames_a_second = 0;  // shown
};
inline constexpr double kFreezeMs = 250;
// Gaps reach into the span from before it and to its end: a viewer that shows nothing in all of it
// has one as long as the span. Nothing: not one frame was shown before the span's end.
std::optional<Smoothness> smoothness(const std::vector<FrameInstant>& frames, TimeSpan span);

// Of the frames in the spans, those that had layer `full` and all below; NaN: no frames.
double share_full(const std::vector<FrameInstant>& frames, int full,
                  const std::vector<TimeSpan>& spans);
// Capture to shown of the frames shown in the spans.
std::vector<double> delays_in(const std::vector<FrameInstant>& frames,
                              const std::vector<TimeSpan>& spans);

// Seconds from the span's begin to the first frame that begins a second, all in the span, of which
// at least `wanted` have layer `full`; infinite: there is none.
double until_full(const std::vector<FrameInstant>& frames, int full, std::size_t wanted,
                  TimeSpan span);

// For a drawing: one point for each `step` seconds, the mean of the layers shown (1 is the lowest;
// a lost frame has none).
std::vector<std::pair<double, double>> layers_over_time(const std::vector<FrameInstant>& frames,
                                                        double step);
// The greatest delay of each step, ms.
std::vector<std::pair<double, double>> delay_over_time(const std::vector<FrameInstant>& frames,
                                                       double step);

}  // namespace qvid::lab
