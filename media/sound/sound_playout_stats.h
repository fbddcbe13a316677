// What the playing of a party's sound has seen: counted where it happens, read by overlay and
// report.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace qvid::media {

struct SoundPlayoutStats {
  std::int64_t packets = 0;  // played
  std::int64_t late = 0;     // came after their time
  std::int64_t lost = 0;     // never came
  std::int64_t malformed = 0;
  std::int64_t underruns = 0;  // times that nothing was there when it should have been heard
  std::int64_t concealed = 0;  // frames made up
  std::int64_t stretched = 0;  // frames added by playing slower
  std::int64_t shrunk = 0;     // frames taken away by playing faster
  std::int64_t skipped = 0;    // frames left out at once, being far too late
  std::int64_t restarts = 0;   // a clock or the sender's numbers have stepped
  Duration longest_gap{};      // of sound that was due and not there, concealed or not
  Duration delay{};            // now: from capture to output, without the path's least transit
  Duration target{};           // what delay is on its way to
  Duration jitter{};           // what arrivals ask for

  // Counts of before are added; delays stay those of now.
  SoundPlayoutStats& operator+=(const SoundPlayoutStats& before) {
    packets += before.packets;
    late += before.late;
    lost += before.lost;
    malformed += before.malformed;
    underruns += before.underruns;
    concealed += before.concealed;
    stretched += before.stretched;
    shrunk += before.shrunk;
    skipped += before.skipped;
    restarts += before.restarts;
    longest_gap = std::max(longest_gap, before.longest_gap);
    return *this;
  }
};

}  // namespace qvid::media
