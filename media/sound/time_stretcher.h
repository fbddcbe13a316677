// Speech faster or slower at the same pitch, by SoundTouch (overlap-add of the most similar parts).
//
// Its first output is its first input unchanged, so that playing may pass into it at any frame
// without a seam. Where it stands in its input is known on average alone, to half of its seek
// window: who leaves it looks for the place that goes on best (best_continuation).
//
// Thread: one at a time. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "media/sound/sound_block.h"

namespace qvid::media {

class TimeStretcher {
 public:
  static constexpr double kSlowest = 0.5;
  static constexpr double kFastest = 2;
  // Frames that it must be ahead in its input of what it gives, where the speed is within 0.7 .. 1.3.
  static constexpr std::size_t kAhead = kSoundRate * 55 / 1000;

  TimeStretcher();
  ~TimeStretcher();
  TimeStretcher(const TimeStretcher&) = delete;
  TimeStretcher& operator=(const TimeStretcher&) = delete;

  // Forgets what it holds. `speed`: of playing, kSlowest .. kFastest.
  void begin(double speed);
  void set_speed(double speed);
  void put(std::span<const float> stereo);
  std::size_t ready() const;  // frames
  // Precondition: as many are ready.
  void take(std::span<float> stereo);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// How alike the two are over the length of `other`: greater is more, whatever the loudness of `stereo`.
double likeness(std::span<const float> other, const float* stereo);

// The frame of `stereo` before which it is most like `tail`: what may follow the tail without a
// click. Not below tail's length; that of stereo's middle where none is better.
std::size_t best_continuation(std::span<const float> tail, std::span<const float> stereo);

}  // namespace qvid::media
