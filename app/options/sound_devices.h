// The sound devices of a program: SDL's sound, begun when it is first needed, since a file or a tone needs
// none. One a program at a time, as ui/sound/sdl_sound.h has it. Thread: any.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "media/sound/sound_device.h"
#include "ui/sound/sdl_sound.h"

namespace qvid::app {

class SoundDevices {
 public:
  // `on_status`: what becomes of the devices; any thread.
  explicit SoundDevices(media::OnSoundStatus on_status) : on_status_(std::move(on_status)) {}

  ui::SdlSound& sound() {
    const std::lock_guard lock(mutex_);
    if (!sound_) sound_.emplace(on_status_);
    return *sound_;
  }
  const media::OnSoundStatus& on_status() const { return on_status_; }

 private:
  const media::OnSoundStatus on_status_;
  std::mutex mutex_;
  std::optional<ui::SdlSound> sound_;
};

}  // namespace qvid::app
