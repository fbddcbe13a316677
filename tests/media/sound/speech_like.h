// Sound that is like speech for what processes it, made from a seed: syllables of voiced harmonics
// with formants and a gliding pitch, consonants of noise, pauses between words.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

#include "media/sound/sound_block.h"

namespace qvid::media {

// Mono; the loudest sample is `peak`. `pitch`: in Hz, of the first syllable.
inline std::vector<float> speech_like(std::size_t frames, unsigned seed, double pitch, float peak) {
  constexpr double kPi = std::numbers::pi;
  std::mt19937 random(seed);
  const auto between = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  std::vector<float> out(frames);
  double phase = 0;
  for (std::size_t begin = 0; begin < frames;) {
    const auto consonant = static_cast<std::size_t>(between(0.02, 0.07) * kSoundRate);
    const auto vowel = static_cast<std::size_t>(between(0.09, 0.22) * kSoundRate);
    const bool word_ends = between(0, 1) < 0.3;
    const auto pause =
        static_cast<std::size_t>(between(0.02, word_ends ? 0.35 : 0.06) * kSoundRate);
    const double loud = between(0.5, 1);
    const double low = between(350, 750);
    const double high = between(900, 2300);
    const double from = pitch * between(0.85, 1.15);
    const double to = from * between(0.85, 1.15);
    double harmonics[24];
    for (int h = 0; h < 24; ++h) {
      const double f = from * (h + 1);
      harmonics[h] = std::exp(-std::pow((f - low) / 250, 2)) +
                     0.5 * std::exp(-std::pow((f - high) / 350, 2)) + 0.1 * std::exp(-f / 2500);
    }
    double hiss = 0;
    for (std::size_t i = 0; i < consonant + vowel && begin + i < frames; ++i) {
      const double noise = between(-1, 1);
      double sample = noise - hiss;
      hiss = noise;
      if (i < consonant) {
        const double x = static_cast<double>(i) / static_cast<double>(consonant);
        sample *= 0.08 * std::sin(kPi * x);
      } else {
        const double x = static_cast<double>(i - consonant) / static_cast<double>(vowel);
        phase += 2 * kPi * (from + (to - from) * x) / kSoundRate;
        sample *= 0.005;
        for (int h = 1; h <= 24; ++h) sample += harmonics[h - 1] * std::sin(phase * h + h * h);
        sample *= std::pow(std::sin(kPi * x), 0.7);
      }
      out[begin + i] = static_cast<float>(sample * loud);
    }
    begin += consonant + vowel + pause;
  }
  float most = 0;
  for (const float s : out) most = std::max(most, std::abs(s));
  for (float& s : out) s *= most > 0 ? peak / most : 0;
  return out;
}

inline std::vector<float> white_noise(std::size_t frames, unsigned seed, float rms) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, rms);
  std::vector<float> out(frames);
  for (float& s : out) s = normal(random);
  return out;
}

}  // namespace qvid::media
