// A picture's number is its time: number n stands for the moment n / 29.7 s of the steady clock,
// which all programs of a machine share.
//
// 29.7 rather than 30 a second: against a capturer's 30 the phase sweeps through all values every
// 3.3 s, so that a run's delay does not depend on the phase that it began with, and no picture
// falls between two captures for long.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace qvid::lab {

inline constexpr FrameRate kClockRate{297, 10};

// The moment at which the picture is to be on the glass.
constexpr Timestamp time_of_number(std::int64_t number) {
  return Timestamp(kClockRate.time_of(number) + 1ns);  // time_of rounds down
}

// The newest picture at that moment. Precondition: `at` is not negative.
constexpr std::int64_t number_at(Timestamp at) {
  constexpr std::int64_t kPeriod = kClockRate.denominator * std::int64_t{1'000'000'000};
  const std::int64_t ns = at.time_since_epoch().count();
  return ns / kPeriod * kClockRate.numerator + ns % kPeriod * kClockRate.numerator / kPeriod;
}

}  // namespace qvid::lab
