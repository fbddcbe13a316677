// Sound of which gaps and delays can be measured, made by code and written as a WAV file for
// `--microphone`: 48 kHz, mono, 16 bits.
//
//   talk    syllables of a voice without an end: harmonics with a gliding pitch, each of a length
//           and loudness of its own, so that a piece of its envelope is found again in what was
//           heard. It is never quiet: between syllables it keeps kTalkFloor, so that quiet is a
//           gap.
//   clicks  kClick of a tone each second from kFirstClick on, silence between them
//
// Pure but for the file. The same seed gives the same samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace qvid::lab {

enum class TestSound : std::uint8_t { kNone, kTalk, kClicks };

inline constexpr Duration kClick = Duration(10'000'000);
inline constexpr Duration kFirstClick = Duration(500'000'000);
inline constexpr double kTalkFloor = 0.06;  // of full scale, before the harmonics are summed

std::vector<float> test_sound(TestSound sound, Duration length, std::uint64_t seed);
// Throws std::runtime_error where it cannot be written.
void write_wav(const std::vector<float>& samples, const std::string& file);

}  // namespace qvid::lab
