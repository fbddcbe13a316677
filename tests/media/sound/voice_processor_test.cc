#include "media/sound/voice_processor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "media/sound/sound_block.h"
#include "tests/media/sound/speech_like.h"

namespace qvid::media {
namespace {

using Samples = std::vector<float>;

// What a loudspeaker makes of `played` at a microphone: later, softer, with a room around.
Samples echo_of(const Samples& played, Duration delay, float gain) {
  const auto direct = static_cast<std::size_t>(sound_frames(delay));
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  // A direct path, and reflections that die away within 30 ms.
  std::vector<std::pair<std::size_t, float>> taps{{direct, gain}};
  for (int i = 0; i < 40; ++i) {
    const auto after = static_cast<std::size_t>(random() % 1'440);
    const float decay = std::exp(-static_cast<float>(after) / 360.0F);
    taps.emplace_back(direct + after, gain * 0.3F * decay * normal(random));
  }
  Samples out(played.size());
  for (const auto& [later, by] : taps) {
    for (std::size_t i = later; i < out.size(); ++i) out[i] += played[i - later] * by;
  }
  return out;
}

Samples sum_of(const Samples& a, const Samples& b) {
  Samples out = a;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += b[i];
  return out;
}

// `captured`, processed turn by turn while `played` is played.
Samples processed(const VoiceProcessorOptions& options, const Samples& played, Samples captured,
                  Duration delay) {
  auto made = VoiceProcessor::make(options);
  EXPECT_TRUE(made) << made.error().message;
  Samples stereo(kSoundTurn * 2);
  for (std::size_t at = 0; at + kSoundTurn <= captured.size(); at += kSoundTurn) {
    for (std::size_t i = 0; i < kSoundTurn; ++i) {
      stereo[2 * i] = stereo[2 * i + 1] = played[at + i];
    }
    (*made)->on_played(stereo);
    (*made)->process(std::span(captured).subspan(at, kSoundTurn), delay);
  }
  return captured;
}

double decibels(const Samples& samples, std::size_t from) {
  double sum = 1e-12;
  for (std::size_t i = from; i < samples.size(); ++i)
    sum += double{samples[i]} * double{samples[i]};
  return 10 * std::log10(sum / static_cast<double>(samples.size() - from));
}

// How much alike two are, 0..1, at the best shift of b up to 20 ms.
struct Likeness {
  double much = 0;
  Duration shift{};
};
Likeness likeness(const Samples& a, const Samples& b, std::size_t from) {
  Likeness best;
  for (std::size_t shift = 0; shift < 960; shift += 4) {
    double ab = 0;
    double aa = 1e-12;
    double bb = 1e-12;
    for (std::size_t i = from; i + shift < a.size(); i += 3) {
      ab += double{a[i]} * double{b[i + shift]};
      aa += double{a[i]} * double{a[i]};
      bb += double{b[i + shift]} * double{b[i + shift]};
    }
    const double much = std::abs(ab) / std::sqrt(aa * bb);
    if (much > best.much) {
      best = {.much = much, .shift = sound_time(static_cast<std::int64_t>(shift))};
    }
  }
  return best;
}

constexpr std::size_t kLong = kSoundRate * 14;
constexpr std::size_t kConverged = kSoundRate * 6;

struct EchoDelay {
  int real = 0;  // ms
  int said = 0;
};
class VoiceEcho : public testing::TestWithParam<EchoDelay> {};

// A delay that is said wrongly is found in time.
constexpr std::size_t kFinding = kSoundRate * 24;
constexpr std::size_t kFound = kSoundRate * 18;

TEST_P(VoiceEcho, IsSuppressed) {
  const Duration delay = GetParam().real * 1ms;
  const Samples played = speech_like(kFinding, 1, 120, 0.8F);
  const Samples captured = sum_of(echo_of(played, delay, 0.4F), white_noise(kFinding, 2, 0.0003F));
  const Samples out = processed({}, played, captured, GetParam().said * 1ms);
  EXPECT_GT(decibels(captured, kFound) - decibels(out, kFound), 25.0);
}
INSTANTIATE_TEST_SUITE_P(Delays, VoiceEcho,
                         testing::Values(EchoDelay{.real = 40, .said = 55},
                                         EchoDelay{.real = 80, .said = 95},
                                         EchoDelay{.real = 120, .said = 110},
                                         EchoDelay{.real = 120, .said = 0},
                                         EchoDelay{.real = 60, .said = 250}));

TEST(VoiceProcessor, WithoutCancellationTheEchoStays) {
  const Samples played = speech_like(kLong / 2, 1, 120, 0.8F);
  const Samples captured = echo_of(played, 60ms, 0.4F);
  const Samples out =
      processed({.echo = false, .noise = false, .gain = false}, played, captured, 60ms);
  EXPECT_NEAR(decibels(captured, kSoundRate), decibels(out, kSoundRate), 3.0);
}

TEST(VoiceProcessor, SpeechAlonePasses) {
  for (const bool gain : {false, true}) {
    const Samples played(kLong / 2);
    const Samples captured =
        sum_of(speech_like(kLong / 2, 3, 140, 0.5F), white_noise(kLong / 2, 4, 0.0003F));
    const Samples out = processed({.gain = gain}, played, captured, 60ms);
    EXPECT_GT(decibels(out, kSoundRate) - decibels(captured, kSoundRate), -6.0);
    EXPECT_LT(decibels(out, kSoundRate) - decibels(captured, kSoundRate), gain ? 12.0 : 1.0);
  }
}

TEST(VoiceProcessor, TwoWhoSpeakAtOnceAreHeard) {
  const Samples played = speech_like(kLong, 1, 120, 0.8F);
  Samples near = speech_like(kLong, 5, 210, 0.5F);
  std::fill_n(near.begin(), kConverged, 0.0F);
  const Samples captured =
      sum_of(sum_of(echo_of(played, 70ms, 0.25F), near), white_noise(kLong, 2, 0.0003F));
  const Samples out = processed({.gain = false}, played, captured, 70ms);
  EXPECT_GT(decibels(out, kConverged) - decibels(near, kConverged), -10.0);
  // And it is the near one that is heard.
  const double of_near = likeness(near, out, kConverged).much;
  const double of_echo = likeness(echo_of(played, 70ms, 0.25F), out, kConverged).much;
  EXPECT_GT(of_near, 0.5);
  EXPECT_GT(of_near, 3 * of_echo);
}

TEST(VoiceProcessor, ItsLatencyIsAsItSays) {
  const Samples played(kLong / 4);
  const Samples captured = speech_like(kLong / 4, 3, 140, 0.5F);
  for (const bool echo : {false, true}) {
    for (const bool noise : {false, true}) {
      const VoiceProcessorOptions options{.echo = echo, .noise = noise};
      const Samples out = processed(options, played, captured, 60ms);
      const Duration latency = (*VoiceProcessor::make(options))->latency();
      EXPECT_NEAR(to_ms(likeness(captured, out, kSoundRate).shift), to_ms(latency), 1.0);
    }
  }
}

TEST(VoiceProcessor, SteadyNoiseIsSuppressed) {
  const Samples played(kLong / 2);
  const Samples captured = white_noise(kLong / 2, 6, 0.01F);
  const Samples out = processed({.gain = false}, played, captured, 60ms);
  EXPECT_GT(decibels(captured, kConverged) - decibels(out, kConverged), 10.0);
}

TEST(VoiceProcessor, SoftSpeechIsRaised) {
  const Samples played(kLong);
  const Samples captured = speech_like(kLong, 7, 140, 0.06F);
  const Samples out = processed({}, played, captured, 60ms);
  EXPECT_GT(decibels(out, kConverged) - decibels(captured, kConverged), 4.0);
}

TEST(VoiceProcessor, WhatIsNoSoundDoesNoHarm) {
  auto made = VoiceProcessor::make({});
  ASSERT_TRUE(made);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Samples stereo(kSoundTurn * 2, kInf);
  for (const Duration delay : {-1h, 0h, 1h}) {
    Samples mono(kSoundTurn, std::numeric_limits<float>::quiet_NaN());
    mono[7] = -kInf;
    mono[9] = 1e30F;
    (*made)->on_played(stereo);
    (*made)->process(mono, delay);
    for (const float s : mono) ASSERT_LE(std::abs(s), 1.0F);
  }
  Samples other(7, 0.5F);
  (*made)->on_played(other);
  (*made)->process(other, 0ms);
  EXPECT_EQ(other, Samples(7, 0.5F));
}

}  // namespace
}  // namespace qvid::media
