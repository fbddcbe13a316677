// Holds stereo sound below a ceiling by turning it down before a peak comes, and up slowly after.
//
//   wanted(n)  = max(0, 1 - kCeiling / peak(n))          peak: the louder channel of frame n
//   held(n)    = the most of wanted(n - kLookAhead .. n), falling by 1 - e^(-1 / kRelease) a frame
//   gain(n)    = 1 - mean of held(n - kLookAhead + 1 .. n)
//   out(n)     = in(n - kLookAhead) * gain(n)
//
// Each held() of the mean has seen the frame that goes out, so |out| <= kCeiling; the mean makes a
// straight slope of a jump. What stays below the ceiling is not changed by a bit: reductions are
// integers, so that what has gone is 0.
//
// Thread: one at a time. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "media/sound/sound_block.h"

namespace qvid::media {

class SoundLimiter {
 public:
  static constexpr float kCeiling = 0.8912509F;   // -1 dB
  static constexpr std::size_t kLookAhead = 120;  // frames: 2.5 ms
  static constexpr std::size_t kRelease = 9'600;  // frames: 200 ms, slower than syllables
  static constexpr Duration kDelay = sound_time(kLookAhead);

  // In place: what comes out is kLookAhead frames older. Precondition: all are numbers, and far
  // from the largest of them.
  void limit(std::span<float> stereo);
  // What the latest frame was multiplied by; 1: nothing.
  double gain() const;

 private:
  static constexpr std::int64_t kUnit = std::int64_t{1} << 30;  // a reduction to nothing

  std::int64_t most_wanted(std::int64_t wanted);

  // A reduction that no later one exceeds, and when it came.
  struct Wanted {
    std::uint64_t frame = 0;
    std::int64_t reduction = 0;
  };
  // The window's falling maxima: a ring, at most one for each of its kLookAhead + 1 frames.
  std::array<Wanted, kLookAhead + 1> maxima_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::uint64_t frame_ = 0;

  std::int64_t held_ = 0;
  std::array<std::int64_t, kLookAhead> helds_{};  // for the mean
  std::int64_t sum_ = 0;                          // of helds_
  std::array<float, kLookAhead * 2> delayed_{};
  std::size_t at_ = 0;  // the oldest of helds_ and of delayed_'s frames
};

}  // namespace qvid::media
