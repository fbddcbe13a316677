// Microphones and loudspeakers by SDL2: listed, opened by name or as the system's default, found
// again after they were lost.
//
// One thread, the keeper (sdl_sound_keeper.h), is the only one that talks to SDL's audio: opening
// takes its time and blocks nobody else. Devices given here are rings that the keeper connects with
// whatever device there is; where there is none they are silence at the clock's pace, and it is
// told, once.
//
// SDL's audio is one a process: at most one SdlSound, with its devices, lives at a time. It is no
// part of SDL_Init's counting: video comes and goes without it (sdl_video.h).
//
// Latency: SDL tells none. Behind the callback of a loudspeaker two of its buffers are taken for
// granted, one that plays and one that waits (an estimate: Bluetooth alone adds 100 ms and more);
// behind a microphone's nothing.
//
// Thread: any.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "media/sound/sound_device.h"

namespace qvid::ui {

struct SoundDeviceNames {
  std::string system;  // SDL's driver: "pulseaudio", "alsa"; empty: there is none
  std::vector<std::string> microphones;
  std::vector<std::string> loudspeakers;
};

// Before "microphone" and "loudspeaker" in the description of the default one.
inline constexpr std::string_view kSystemsDefault = "the system's default ";

// As what the desktop's mixer shows it. Once, before the program has a second thread: SDL's hints are read by
// whoever draws, and guarded by nothing.
void name_sound_for_mixers();

class SdlSoundKeeper;

class SdlSound {
 public:
  explicit SdlSound(media::OnSoundStatus on_status);
  ~SdlSound();

  // Those there are; waits until the keeper has looked once, at most a few seconds.
  SoundDeviceNames devices() const;
  // `name`: as listed; empty: the system's default, which is followed when it changes. They may
  // outlive this object.
  std::unique_ptr<media::SoundInput> input(const std::string& name = {});
  std::unique_ptr<media::SoundOutput> output(const std::string& name = {});

 private:
  std::shared_ptr<SdlSoundKeeper> keeper_;
};

}  // namespace qvid::ui
