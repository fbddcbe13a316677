// Sound made up, at the clock's pace: for tests, measuring, and programs without a microphone.
//
//   beeps   kBeepTone for kBeep from each full second of the steady clock on: whoever knows the
//           clock knows when a beep was captured
//   speech  syllables of a voice, kTalk long and kPause apart: enough for what listens for voices
//   silence
//
// Each sample follows from its time alone. Pure. Thread: one.
#pragma once

#include <string>

#include "media/sound/sound_device.h"
#include "media/sound/sound_pace.h"

namespace qvid::media {

enum class Tone { kSilence, kBeeps, kSpeech };

class ToneInput : public SoundInput {
 public:
  static constexpr double kBeepTone = 1000.0;  // Hz
  static constexpr Duration kBeep = std::chrono::milliseconds(60);
  static constexpr Duration kTalk = std::chrono::seconds(2);
  static constexpr Duration kPause = std::chrono::seconds(1);

  explicit ToneInput(Tone tone) : tone_(tone) {}

  bool read(Timestamp now, SoundBlock& block) override;
  bool is_microphone() const override { return false; }
  int channels() const override { return 1; }
  std::string description() const override;

  // What is heard at that time.
  static float sample(Tone tone, Timestamp time);

 private:
  Tone tone_;
  SoundPace pace_;
};

}  // namespace qvid::media
