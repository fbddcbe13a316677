// One that is heard: what the engine (sound_engine.h) asks for samples, a turn at a time.
#pragma once

#include <span>

#include "base/units.h"

namespace qvid::media {

class SoundVoice {
 public:
  virtual ~SoundVoice() = default;
  // The next stereo frames, the first of which is heard at `heard`. `frames`: interleaved, of
  // kSoundTurn frames. False: it is silence, written all the same.
  virtual bool pull(Timestamp heard, std::span<float> frames) = 0;
};

}  // namespace qvid::media
