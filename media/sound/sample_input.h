// Samples from memory (of a file) at the clock's pace, again and again or once and then silence.
//
// Pure. Thread: one.
#pragma once

#include <string>
#include <vector>

#include "media/sound/sound_device.h"
#include "media/sound/sound_pace.h"

namespace qvid::media {

struct SoundSamples {
  int channels = 1;             // 1..kMostChannels
  std::vector<float> values{};  // interleaved, kSoundRate frames a second

  std::size_t frames() const { return values.size() / static_cast<std::size_t>(channels); }
};

class SampleInput : public SoundInput {
 public:
  SampleInput(SoundSamples samples, bool loop, std::string description);

  bool read(Timestamp now, SoundBlock& block) override;
  bool is_microphone() const override { return false; }
  int channels() const override { return samples_.channels; }
  std::string description() const override { return description_; }

 private:
  SoundSamples samples_;
  bool loop_;
  std::string description_;
  SoundPace pace_;
};

}  // namespace qvid::media
