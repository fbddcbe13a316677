#include "media/sound/tone_input.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace qvid::media {
namespace {

constexpr float kToneLevel = 0.4f;
constexpr double kVoicePitch = 140.0;    // Hz
constexpr double kSyllables = 4.0;       // a second
constexpr int kVoiceHarmonics = 20;      // up to 2.8 kHz
constexpr Duration kToneEdge = 2ms;      // fades in and out: no click
constexpr double kFormant = 600.0;       // Hz: harmonics around it are the loudest
constexpr double kFormantWidth = 500.0;  // Hz

float beep(Duration since) {
  if (since >= ToneInput::kBeep) return 0.0f;
  const Duration to_edge = std::min(since, ToneInput::kBeep - since);
  const double fade = std::min(1.0, to_seconds(to_edge) / to_seconds(kToneEdge));
  return kToneLevel * static_cast<float>(fade * std::sin(2 * std::numbers::pi *
                                                         ToneInput::kBeepTone * to_seconds(since)));
}

// A buzz of harmonics under a formant, each syllable swelling and dying away.
float speech(Duration since) {
  if (since >= ToneInput::kTalk) return 0.0f;
  const double t = to_seconds(since);
  const double swell = std::pow(std::sin(std::numbers::pi * kSyllables * t), 2);
  const double pitch = 2 * std::numbers::pi * kVoicePitch;
  double voice = 0;
  double most = 0;
  for (int n = 1; n <= kVoiceHarmonics; ++n) {
    const double off = (kVoicePitch * n - kFormant) / kFormantWidth;
    const double level = 1.0 / (1.0 + off * off);
    voice += level * std::sin(pitch * n * t + n * n);
    most += level;
  }
  return kToneLevel * static_cast<float>(2.0 * swell * voice / most);
}

}  // namespace

float ToneInput::sample(Tone tone, Timestamp time) {
  const Duration t = time.time_since_epoch();
  switch (tone) {
    case Tone::kBeeps: return beep(t % 1s);
    case Tone::kSpeech: return speech(t % (kTalk + kPause));
    case Tone::kSilence: break;
  }
  return 0.0f;
}

bool ToneInput::read(Timestamp now, SoundBlock& block) {
  const std::size_t due = pace_.due(now);
  if (due == 0) return false;
  block.captured = pace_.next();
  block.channels = 1;
  block.samples.resize(due);
  for (std::size_t i = 0; i < due; ++i) {
    block.samples[i] = sample(tone_, block.captured + sound_time(static_cast<std::int64_t>(i)));
  }
  pace_.take(due);
  return true;
}

std::string ToneInput::description() const {
  switch (tone_) {
    case Tone::kBeeps: return "a beep each second";
    case Tone::kSpeech: return "a made-up voice";
    case Tone::kSilence: break;
  }
  return "silence";
}

}  // namespace qvid::media
