#include "media/sound/voice_meter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "media/sound/sound_block.h"
#include "tests/media/sound/speech_like.h"

namespace qvid::media {
namespace {

constexpr std::size_t kSecond = kSoundRate;

std::vector<float> voice_over(std::vector<float> background, std::size_t at, std::size_t frames,
                              unsigned seed, float peak) {
  const auto voice = speech_like(frames, seed, 130, peak);
  for (std::size_t i = 0; i < frames; ++i) background[at + i] += voice[i];
  return background;
}

struct Metered {
  std::vector<bool> speaking{};  // every 10 ms
  std::vector<double> loudness{};
};
Metered metered(const std::vector<float>& mono) {
  VoiceMeter meter;
  Metered out;
  for (std::size_t at = 0; at + kSoundTurn <= mono.size(); at += kSoundTurn) {
    const VoiceState state = meter.on_samples(std::span(mono).subspan(at, kSoundTurn));
    out.speaking.push_back(state.speaking);
    out.loudness.push_back(state.loudness);
  }
  return out;
}
// The share of turns, of those in seconds from..to, of somebody who speaks.
double share(const Metered& m, double from, double to) {
  int speaking = 0;
  int turns = 0;
  for (auto i = static_cast<std::size_t>(from * 100); i < static_cast<std::size_t>(to * 100); ++i) {
    speaking += m.speaking[i] ? 1 : 0;
    ++turns;
  }
  return static_cast<double>(speaking) / turns;
}
int changes(const Metered& m) {
  int n = 0;
  for (std::size_t i = 1; i < m.speaking.size(); ++i)
    n += m.speaking[i] != m.speaking[i - 1] ? 1 : 0;
  return n;
}

TEST(VoiceMeter, SilenceIsTheLeast) {
  const Metered m = metered(std::vector<float>(kSecond));
  EXPECT_EQ(m.loudness.back(), -127.0);
  EXPECT_EQ(share(m, 0, 1), 0.0);
  EXPECT_EQ(VoiceMeter().state(), VoiceState{});
}

TEST(VoiceMeter, LoudnessIsInDbov) {
  EXPECT_NEAR(metered(std::vector<float>(kSecond, 1.0F)).loudness.back(), 0.0, 0.01);
  std::vector<float> sine(kSecond);
  for (std::size_t i = 0; i < kSecond; ++i) {
    sine[i] = 0.1F * static_cast<float>(std::sin(2 * std::numbers::pi * 997 *
                                                 static_cast<double>(i) / kSoundRate));
  }
  EXPECT_NEAR(metered(sine).loudness.back(), -23.0, 0.1);
}

TEST(VoiceMeter, LoudnessIsSmooth) {
  const Metered m = metered(speech_like(4 * kSecond, 3, 120, 0.7F));
  for (std::size_t i = 1; i < m.loudness.size(); ++i) {
    EXPECT_GT(m.loudness[i] - m.loudness[i - 1], i == 1 ? -127 : -1.0);
  }
}

TEST(VoiceMeter, SpeechIsHeardFromItsBeginToItsEnd) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
    for (const float peak : {0.7F, 0.1F}) {
      const Metered m = metered(
          voice_over(white_noise(12 * kSecond, 9, 0.0005F), 3 * kSecond, 5 * kSecond, seed, peak));
      EXPECT_EQ(share(m, 0, 3), 0.0);
      EXPECT_GT(share(m, 3.3, 8), 0.9) << seed << " " << peak;
      EXPECT_EQ(share(m, 9.5, 12), 0.0) << seed << " " << peak;
      EXPECT_LE(changes(m), 10) << seed << " " << peak;  // it pauses for 350 ms now and then
    }
  }
}

TEST(VoiceMeter, SpeechIsHeardFromTheFirstSampleOn) {
  const Metered m = metered(speech_like(4 * kSecond, 2, 120, 0.5F));
  EXPECT_GT(share(m, 0.7, 4), 0.9);
}

TEST(VoiceMeter, SteadyNoiseIsNobody) {
  for (const float rms : {0.001F, 0.01F, 0.1F}) {
    EXPECT_EQ(share(metered(white_noise(10 * kSecond, 1, rms)), 0, 10), 0.0) << rms;
  }
}

TEST(VoiceMeter, ANoiseThatBeginsIsSoonTheFloor) {
  std::vector<float> mono = white_noise(12 * kSecond, 1, 0.0003F);
  const auto fan = white_noise(9 * kSecond, 2, 0.02F);
  for (std::size_t i = 0; i < fan.size(); ++i) mono[3 * kSecond + i] += fan[i];
  const Metered m = metered(mono);
  EXPECT_EQ(share(m, 5.6, 12), 0.0);
  // And who speaks over it is heard.
  const Metered over = metered(voice_over(mono, 7 * kSecond, 4 * kSecond, 6, 0.8F));
  EXPECT_EQ(share(over, 5.6, 7), 0.0);
  EXPECT_GT(share(over, 7.3, 11), 0.8);
}

TEST(VoiceMeter, AClickIsNobody) {
  std::vector<float> mono = white_noise(4 * kSecond, 1, 0.0005F);
  for (std::size_t i = 0; i < 48; ++i) mono[2 * kSecond + i] = 0.05F;
  EXPECT_EQ(share(metered(mono), 0, 4), 0.0);
}

TEST(VoiceMeter, PausesOfSpeechAreBridged) {
  // Half a second of silence ends it, 200 ms do not.
  const auto tone = [](std::size_t i) {
    return 0.3F * static_cast<float>(std::sin(0.02 * static_cast<double>(i)));
  };
  std::vector<float> mono(5 * kSecond);
  const auto fill = [&](double from, double to) {
    for (auto i = static_cast<std::size_t>(from * kSoundRate);
         i < static_cast<std::size_t>(to * kSoundRate); ++i) {
      mono[i] = tone(i);
    }
  };
  fill(1.0, 1.5);
  fill(1.7, 2.2);
  const Metered m = metered(mono);
  EXPECT_EQ(share(m, 1.1, 2.2), 1.0);
  EXPECT_EQ(changes(m), 2);
  EXPECT_EQ(share(m, 4.5, 5), 0.0);
}

TEST(VoiceMeter, SamplesMayComeInAnyNumber) {
  const auto mono = speech_like(2 * kSecond, 3, 120, 0.7F);
  VoiceMeter whole;
  VoiceMeter parts;
  whole.on_samples(mono);
  for (std::size_t at = 0; at < mono.size(); at += 37) {
    parts.on_samples(std::span(mono).subspan(at, std::min<std::size_t>(37, mono.size() - at)));
  }
  EXPECT_EQ(whole.state(), parts.state());
}

TEST(VoiceMeter, WhatIsNoNumberIsSilence) {
  VoiceMeter meter;
  std::vector<float> wild(kSecond, std::numeric_limits<float>::quiet_NaN());
  wild[100] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(meter.on_samples(wild).loudness, -127.0);
  EXPECT_LE(meter.on_samples(std::vector<float>(kSecond, 1e30F)).loudness, 0.0);
}

}  // namespace
}  // namespace qvid::media
