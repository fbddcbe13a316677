// What is sent as sound beside a source, and where sound is played: the command line's word, or
// else what people expect.
//
//   --microphone    as it says (sound_options.h)
//   without it      a file's or URL's own sound; so of the test scene, where the source is what it
//                   is about (publish, serve); else the system's microphone, but without a window
//                   none
//   --speaker       as it says; without it the system's loudspeaker, but without a window none
#pragma once

#include "app/options/sound_options.h"
#include "media/live/live_in.h"

namespace qvid::app {

struct SoundRole {
  bool sends = false;
  bool plays = false;
  bool headless = false;         // nobody sits there
  bool is_all_about_it = false;  // the source, as of publish and serve
};

// The engine of a program's sound; `source`, where there is one, is told to hand its sound on where
// that is sent. The error says what is wrong with the command line.
Result<media::SoundEngineOptions> sound_beside(const SoundArguments& arguments,
                                               media::LiveInOptions* source, const SoundRole& role,
                                               SoundDevices& devices);

}  // namespace qvid::app
