// How loud it is, and whether somebody speaks: what is published as attributes `loudness` and
// `speaking`, so that preferences can follow the speaker.
//
//   level     power of a turn of 10 ms, in dBov
//   loudness  the level, up within 30 ms and down within 200 ms
//   floor     the least of the level, smoothed over 50 ms, of the last 2 s
//
//   speaking begins   level > max(floor + 12 dB, -50 dBov) for 50 ms on end
//            ends     not > max(floor + 8 dB, -55 dBov) for 300 ms
//
// Speech pauses between syllables, steady noise does not: so within two seconds a noise is the
// floor itself, and speech never is. A vowel held for longer is taken for noise, and a noise that
// begins is taken for speech for as long; a picture that follows the speaker bears both.
//
// Thread: one at a time. Pure: time is that of the samples.
#pragma once

#include <cstddef>
#include <span>

#include "base/sliding_minimum.h"
#include "base/units.h"

namespace qvid::media {

inline constexpr double kSilenceLoudness = -127;

struct VoiceState {
  bool speaking = false;
  double loudness = kSilenceLoudness;  // dBov, 0 the loudest, -127 silence (RFC 6464)
  bool operator==(const VoiceState&) const = default;
};

class VoiceMeter {
 public:
  static constexpr Duration kAttack = std::chrono::milliseconds(50);
  static constexpr Duration kHangOver = std::chrono::milliseconds(300);
  static constexpr Duration kFloorMemory = std::chrono::seconds(2);
  static constexpr int kFloorSlots = 8;       // the oldest is given up whole
  static constexpr double kLeastBegin = -50;  // dBov
  static constexpr double kLeastEnd = -55;
  static constexpr double kBeginAbove = 12;  // dB over the floor
  static constexpr double kEndAbove = 8;

  // Samples of one channel at kSoundRate, any number. What is no number counts as silence.
  VoiceState on_samples(std::span<const float> mono);
  VoiceState state() const;

 private:
  void on_turn(double power);
  double sum_ = 0;         // of squares, of the turn that is not whole
  std::size_t count_ = 0;  // of its samples
  double power_ = 0;       // as loudness has it
  double slow_power_ = 0;  // as the floor has it
  bool begun_ = false;
  Timestamp time_{};  // of the samples
  SlidingMinimum<double> floor_{kFloorMemory / kFloorSlots, kFloorSlots};

  bool speaking_ = false;
  Duration towards_{};  // for how long it has been what ends the present state
};

}  // namespace qvid::media
