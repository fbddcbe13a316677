// Sound that a program's engine plays as long as this lives.
//
// Thread: one. The engine outlives it, and may ask the voice once more when this is gone.
#pragma once

#include <memory>
#include <utility>

#include "media/sound/sound_engine.h"

namespace qvid::app {

template <class Voice>
class PlayedSound {
 public:
  PlayedSound(media::SoundEngine& engine, std::shared_ptr<Voice> voice, float volume)
      : engine_(engine), voice_(std::move(voice)) {
    engine_.add(voice_);
    set_volume(volume);
  }
  ~PlayedSound() { engine_.remove(voice_.get()); }
  PlayedSound(const PlayedSound&) = delete;
  PlayedSound& operator=(const PlayedSound&) = delete;

  void set_volume(float volume) { engine_.set_volume(voice_.get(), volume); }
  Voice* operator->() const { return voice_.get(); }

 private:
  media::SoundEngine& engine_;
  const std::shared_ptr<Voice> voice_;
};

}  // namespace qvid::app
