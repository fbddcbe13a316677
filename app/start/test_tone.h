// What a loudspeaker is tried with: three notes, rising, within a second. Each sample follows from
// how many were before it. Pure. Thread: one, but for is_over().
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "media/sound/sound_block.h"
#include "media/sound/sound_voice.h"

namespace qvid::app {

class TestTone : public media::SoundVoice {
 public:
  static constexpr Duration kNote = std::chrono::milliseconds(300);
  static constexpr int kNotes = 3;

  bool pull(Timestamp, std::span<float> frames) override {
    const std::int64_t note = media::sound_frames(kNote);
    for (std::size_t i = 0; i + 1 < frames.size(); i += 2) {
      const float sample = played_ < kNotes * note ? at(played_ / note, played_ % note) : 0.0f;
      frames[i] = frames[i + 1] = sample;
      ++played_;
    }
    over_ = played_ >= kNotes * note;
    return !over_;
  }
  // Any thread.
  bool is_over() const { return over_; }

 private:
  // A C major chord, each note swelling and fading, so that nothing clicks.
  static float at(std::int64_t note, std::int64_t frame) {
    constexpr double kHertz[kNotes] = {523.25, 659.26, 783.99};
    constexpr double kLoudness = 0.3;
    const double whole = static_cast<double>(media::sound_frames(kNote));
    const double swell = std::sin(std::numbers::pi * static_cast<double>(frame) / whole);
    const double turns = kHertz[note] * static_cast<double>(frame) / media::kSoundRate;
    return static_cast<float>(kLoudness * swell * std::sin(2 * std::numbers::pi * turns));
  }

  std::int64_t played_ = 0;  // frames
  std::atomic<bool> over_ = false;
};

}  // namespace qvid::app
