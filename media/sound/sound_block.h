// Sound as samples: 48 kHz, 32-bit floats from -1 to 1, mono or stereo interleaved. A "frame" of
// sound is one instant: a sample of each channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"

namespace qvid::media {

inline constexpr int kSoundRate = 48'000;  // frames a second, of all sound here
inline constexpr int kMostChannels = 2;
inline constexpr std::size_t kSoundTurn = 480;  // frames: what is mixed and processed at a time

constexpr Duration sound_time(std::int64_t frames) {
  return Duration(frames / kSoundRate * 1'000'000'000 +
                  frames % kSoundRate * 1'000'000'000 / kSoundRate);
}
constexpr std::int64_t sound_frames(Duration time) {
  return time / 1s * kSoundRate + (time % 1s).count() * kSoundRate / Duration(1s).count();
}

struct SoundBlock {
  Timestamp captured{};  // the first frame, on this machine's steady clock
  int channels = 1;      // 1..kMostChannels
  std::vector<float> samples{};

  std::size_t frames() const { return samples.size() / static_cast<std::size_t>(channels); }
};

}  // namespace qvid::media
