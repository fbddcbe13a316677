#include "app/options/shared_sound.h"

#include "ui/sound/program_sound.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

media::SoundStatus status_of(media::SharedSound::State state) {
  using enum media::SharedSound::State;
  switch (state) {
    case kNone:
      return {false, ui::tr("the sound of this computer is not shared: there is no sound server "
                            "(PulseAudio, PipeWire) that gives it")};
    case kLost:
      return {false,
              ui::tr("the sound of this computer is not shared any more: the sound server is "
                     "gone; it is shared again when that is back")};
    case kUsed: break;
  }
  return {true, ui::tr("the sound of this computer is shared")};
}

}  // namespace

void add_shared_sound(media::SoundEngineOptions& engine, const media::OnSoundStatus& on_status) {
  engine.shared = std::make_unique<ui::ProgramSound>(
      [on_status](media::SharedSound::State state) { on_status(status_of(state)); });
}

}  // namespace qvid::app
