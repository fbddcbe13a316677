// Many parties heard together: the sum of theirs, each with a volume, held below clipping by a
// limiter that looks ahead (sound_limiter.h). What comes out is kDelay later than what went in, so
// it is heard so much later than when the turn is written. A sum below -1 dB is not changed.
//
// Bound: the keys of two turns, each a pointer and a volume.
//
// Thread: one at a time. Pure.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "media/sound/sound_block.h"
#include "media/sound/sound_limiter.h"

namespace qvid::media {

class SoundMixer {
 public:
  static constexpr float kMostVolume = 4.0F;
  static constexpr Duration kDelay = SoundLimiter::kDelay;

  // Begins a turn: kSoundTurn stereo frames of silence.
  void begin();
  // `stereo`: at most kSoundTurn frames; what is more is left. `volume`: 0..4, by which its samples
  // are multiplied; moves there without a click from the volume of that `key` in the turn before. A
  // key that is new begins at its volume.
  void add(const void* key, std::span<const float> stereo, float volume);
  // The turn's frames: no sample is beyond +-1, whatever was added (NaN and infinities too). They
  // stay until begin().
  std::span<const float> end();
  // The reduction that the limiter applies now, in dB; 0: none.
  double reduction() const;

 private:
  struct Volume {
    const void* key = nullptr;
    float volume = 0;
  };

  std::array<float, kSoundTurn * 2> sum_{};
  std::vector<Volume> before_;  // of the turn before
  std::vector<Volume> now_;
  SoundLimiter limiter_;
};

}  // namespace qvid::media
