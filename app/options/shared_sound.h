// What other programs of this computer play, to go along with a screen that is shared.
#pragma once

#include "media/sound/sound_device.h"
#include "media/sound/sound_engine.h"

namespace qvid::app {

// The engine's, beside its input, or alone. `on_status`: where there is
// no such sound, or none any more, while it is to be shared; any thread.
void add_shared_sound(media::SoundEngineOptions& engine, const media::OnSoundStatus& on_status);

}  // namespace qvid::app
