// The sound of one program: one thread that takes what the microphone gave, processes and encodes
// it, and mixes what is played.
//
//   SoundInput -> VoiceProcessor -> SoundEncoder -> packet()          (network thread: post)
//   SoundPlayout of each party -> SoundMixer -> VoiceProcessor (as echo) -> SoundOutput
//
// What a turn does is the machine's (sound_machine.h); here are the thread, which wakes every
// kEvery, and the lock. Bound: the voices that were added.
//
// Thread: all calls any; callbacks on the sound thread, which must not be blocked; none after the
// destructor has returned. A voice may be asked once more just after it was removed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/units.h"
#include "media/sound/shared_sound.h"
#include "media/sound/sound_codec.h"
#include "media/sound/sound_device.h"
#include "media/sound/sound_packet.h"
#include "media/sound/sound_playout.h"
#include "media/sound/sound_voice.h"
#include "media/sound/voice_meter.h"

namespace qvid::media {

struct SoundEngineOptions {
  std::unique_ptr<SoundInput> input;      // null: nothing is captured
  std::unique_ptr<SoundOutput> output;    // null: what would be heard passes at the clock's pace
  bool voice_processing = true;           // of microphones
  std::unique_ptr<SharedSound> shared{};  // null: none can be shared
  SoundEncoderOptions encoder{};
};

struct SoundEngineStats {
  std::int64_t packets_made = 0;
  std::int64_t bytes_made = 0;
  VoiceState voice;
  bool unheard = false;  // one speaks, and is muted
  double peak = 0;       // of what was played, 0..1, of the last second
};

class SoundEngine {
 public:
  struct Callbacks {
    std::function<void(SoundPacket&&)> packet;
    // It changed: at once when speaking does, at most five times a second for loudness alone.
    std::function<void(const VoiceState&)> voice = [](const VoiceState&) {};
  };
  static constexpr Duration kEvery = std::chrono::milliseconds(5);

  // Throws where the options are out of range or a library does not start.
  SoundEngine(SoundEngineOptions options, Callbacks callbacks);
  ~SoundEngine();
  SoundEngine(const SoundEngine&) = delete;
  SoundEngine& operator=(const SoundEngine&) = delete;

  // One's own: nothing is sent, and nobody hears that one speaks.
  void set_muted(bool muted);
  bool muted() const;
  // Nobody listens: nothing is encoded.
  void set_sending(bool on);
  void set_coding(const SoundCoding& coding);
  // What can be shared goes beside the microphone, or no longer, in stereo and coded as music is.
  void set_sharing(bool on);
  // There is something to be shared now.
  bool can_share() const;
  // Another device from the next turn on. `make` is called on the sound thread once the one before has
  // gone, since many a device is had once; it must not block. Null from it: silence, or nowhere. What is
  // asked for before that turn takes the place of what was asked for before.
  using MakeInput = std::function<std::unique_ptr<SoundInput>()>;
  using MakeOutput = std::function<std::unique_ptr<SoundOutput>()>;
  void set_input(MakeInput make);
  void set_output(MakeOutput make);

  void add(std::shared_ptr<SoundVoice> party);
  void remove(const SoundVoice* party);
  void set_volume(const SoundVoice* party, float volume);  // 0..4
  SoundEngineStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qvid::media
