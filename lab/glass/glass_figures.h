// What a person had of the picture, out of a log of the glass. Pure.
//
//   delay    of each picture when it is first seen, and newer than all before: the time seen less
//            the time that its number stands for. What never arrives does not count
//   age      of what is on the glass, each 10 ms: a freeze counts for as long as it lasts
//   freeze   over 200 ms, where nothing else is asked for, without a new picture; the span's begin and end count as pictures
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lab/glass/glass_log.h"

namespace qvid::lab {

struct GlassSpan {
  Timestamp from;
  Timestamp to;  // not in it
};

inline constexpr Duration kGlassFreeze = 200ms;
// A picture that is no older than this is of now: after an outage one that waited somewhere is not.
inline constexpr Duration kFresh = 300ms;

struct GlassFigures {
  std::size_t pictures = 0;  // new ones
  double pictures_a_second = 0;
  std::vector<double> delays_ms{};
  std::vector<double> ages_ms{};  // from the first picture ever seen on
  std::size_t freezes = 0;
  double frozen_s = 0;
  double longest_freeze_ms = 0;         // 0: none
  double interval_deviation_ms = 0;     // standard deviation of the times between new pictures
  std::size_t steps_back = 0;           // changes to an older picture than was shown before
  double psnr = 0;                      // dB, mean; not a number: nothing to compare
  double ssim = 0;                      // the same
  std::vector<double> clock_late_ms{};  // of the pictures that the clock drew in the span
};

GlassFigures glass_figures(const GlassLog& log, const GlassSpan& span,
                           Duration freeze = kGlassFreeze);

// From the span's begin to the first picture in it that is fresh, ms; infinite: there is none.
double back_after_ms(const GlassLog& log, const GlassSpan& span);

// From the begin of `after` to the first look, at a picture since it is back, that is good, and after
// which no two in succession are not within kSteadyFor, ms. Good: no more than kSameQuality worse than
// the mean of `before`. One look alone may be at the one frame whose enhancement is late. Infinite:
// there is none; not a number: nothing to compare.
inline constexpr double kSameQuality = 2;  // dB
inline constexpr Duration kSteadyFor = 2s;
double quality_back_after_ms(const GlassLog& log, const GlassSpan& before, const GlassSpan& after);

// For a drawing: the greatest delay of each step, in which there was any: seconds since the span's
// begin, ms.
std::vector<std::pair<double, double>> glass_delay_over_time(const GlassLog& log,
                                                             const GlassSpan& span, Duration step);

}  // namespace qvid::lab
