// How sound came through, from the levels of what was spoken and of what was heard (output logs of
// the two ends, on one clock): gaps, and the delay from mouth to ear.
//
// Pure; times are seconds of the steady clock.
#pragma once

#include <vector>

#include "lab/bed/output_table.h"
#include "lab/experiments/playing.h"

namespace qvid::lab {

struct SoundGap {
  double at = 0;  // its begin
  double ms = 0;
};
// Where sound that knows no pause (TestSound::kTalk) was quiet for longer than `least_ms`. What a
// decoder made up in place of a lost packet is no gap here, as long as it is heard.
std::vector<SoundGap> gaps_in(const std::vector<OutputValue>& heard, TimeSpan span,
                              double least_ms);

// Of each sound that begins after a pause (TestSound::kClicks): when it was captured, and how many
// ms later it was heard. A click that was not heard within kMostDelay, or before the next was
// spoken, is missing.
struct ClickDelays {
  std::vector<OutputValue> delays{};  // ms
  std::size_t missing = 0;
};
ClickDelays click_delays(const OutputTable& spoken, const OutputTable& heard, TimeSpan span);

// Of sound without pauses: each kMatchStep, the delay at which kMatchWindow of what was spoken is
// most alike to what was heard; left out where it is less alike than kAlike (correlation).
inline constexpr double kMostDelay = 3;    // s
inline constexpr double kMatchWindow = 2;  // s
inline constexpr double kMatchStep = 1;    // s
inline constexpr double kAlike = 0.7;
std::vector<OutputValue> delays_by_envelope(const OutputTable& spoken, const OutputTable& heard,
                                            TimeSpan span);

}  // namespace qvid::lab
