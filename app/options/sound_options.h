// The command-line options of sound, the same for every sub-command that sends or plays it.
#pragma once

#include <string>
#include <vector>

#include "app/options/cli.h"
#include "app/options/sound_devices.h"
#include "base/result.h"
#include "media/sound/sound_device.h"
#include "media/sound/sound_engine.h"

namespace qvid::app {

inline constexpr const char* kNoDevice = "none";
inline constexpr const char* kDefaultDevice = "default";  // the system's

struct SoundArguments {
  std::string microphone{};  // empty: nothing was said
  std::string speaker{};
  // By name, as remembered: the default device where there is no such one, which is told.
  std::string preferred_microphone{};
  std::string preferred_speaker{};
  bool muted = false;
  bool no_voice_processing = false;
  bool low_delay = false;
};

// --microphone and what goes with it: of who sends.
void add_microphone_options(CLI::App& command, SoundArguments& arguments);
// --speaker: of who plays.
void add_speaker_option(CLI::App& command, SoundArguments& arguments);

// The error says what is wrong with the command line, and which devices there are.
//
//   microphone  default, none, NAME (or a part of it that only one has), FILE.wav (again and
//               again), tone (a beep a second), speech (a made-up voice), silence
//   speaker     default, none (nothing is heard, at the clock's pace), NAME, FILE.wav
//
// Who does not send or play leaves that out of the engine: `sends`, `plays`.
Result<media::SoundEngineOptions> sound_engine_options(const SoundArguments& arguments, bool sends,
                                                       bool plays, SoundDevices& devices);

// It names a file of sound.
bool is_wav(const std::string& text);

// What becomes of devices, into the log; any thread.
void log_sound_status(const media::SoundStatus& status);

// The encoder as the input wants it: what is no voice in the mono of one is rich, at the full rate.
void suit_encoder(media::SoundEngineOptions& options);

// The one device of `names` that is called so: by its whole name, or by a part of it that only one
// has, small and capital letters alike. `option`: for the error.
Result<std::string> device_called(const std::string& text, const std::vector<std::string>& names,
                                  const std::string& option);

}  // namespace qvid::app
