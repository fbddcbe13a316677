// Sound that goes beside the microphone's, as what this computer's programs play while one shares a
// screen: the machine (sound_machine.h) mixes it into what is sent, after the microphone has been muted
// and its voice processed.
#pragma once

#include <functional>
#include <span>

#include "base/units.h"

namespace qvid::media {

class SharedSound {
 public:
  // How it is, while it is on. It is told once, when it changes.
  enum class State {
    kNone,  // there is none to be shared: no sound server
    kLost,  // there was, and it has gone
    kUsed,
  };
  using OnState = std::function<void(State)>;  // any thread; must not block

  virtual ~SharedSound() = default;
  // Whether there is any to be shared now. Any thread.
  virtual bool available() const = 0;
  // Any thread but that of pull().
  virtual void set_on(bool on) = 0;
  // The next kSoundTurn stereo frames, to go with a turn of the microphone that was captured then.
  // False: silence, written all the same. Thread: the sound thread.
  virtual bool pull(Timestamp captured, Timestamp now, std::span<float> stereo) = 0;
};

}  // namespace qvid::media
