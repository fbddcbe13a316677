// Shows that the stretcher begins as its input does, keeps the pitch and gives as much as its speed
// says without looking further ahead than it says; and that playing goes on where it fits.
#include "media/sound/time_stretcher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace qvid::media {
namespace {

std::vector<float> stretch_tone(double hertz, std::size_t frames, std::size_t from = 0) {
  std::vector<float> samples(2 * frames);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t frame = from + i / 2;
    const double at = static_cast<double>(frame) / kSoundRate;
    samples[i] = static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * hertz * at));
  }
  return samples;
}

// Crossings of zero, upwards, of the left channel.
int rising_edges(const std::vector<float>& samples) {
  int count = 0;
  for (std::size_t i = 2; i < samples.size(); i += 2) {
    if (samples[i - 2] < 0 && samples[i] >= 0) ++count;
  }
  return count;
}

class TimeStretching : public ::testing::TestWithParam<double> {};

TEST_P(TimeStretching, KeepsThePitchAndItsSpeed) {
  const double speed = GetParam();
  TimeStretcher stretcher;
  const auto input = stretch_tone(200, kSoundRate * 4);
  std::vector<float> output;
  std::vector<float> turn(2 * kSoundTurn);
  std::size_t fed = 0;
  stretcher.begin(speed);
  while (fed + kSoundTurn <= input.size() / 2) {
    stretcher.put(std::span(input).subspan(2 * fed, 2 * kSoundTurn));
    fed += kSoundTurn;
    while (stretcher.ready() >= kSoundTurn) {
      stretcher.take(turn);
      output.insert(output.end(), turn.begin(), turn.end());
    }
    const double used = static_cast<double>(output.size()) / 2 * speed;
    // A turn is what it may have too little for.
    EXPECT_LT(static_cast<double>(fed) - used, TimeStretcher::kAhead + 2 * kSoundTurn);
  }
  const double seconds = static_cast<double>(output.size()) / 2 / kSoundRate;
  EXPECT_NEAR(seconds * speed, 4.0, 0.08);
  EXPECT_NEAR(rising_edges(output) / seconds, 200, 2);
  for (std::size_t i = 0; i < 2 * kSoundTurn; ++i) ASSERT_NEAR(output[i], input[i], 0.003) << i;
  for (std::size_t i = 2; i < output.size(); ++i) {
    EXPECT_LT(std::abs(output[i] - output[i - 2]), 0.03);
  }
  // And again from the start.
  stretcher.begin(speed);
  EXPECT_EQ(stretcher.ready(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Speeds, TimeStretching, ::testing::Values(0.75, 0.9, 1.1, 1.25, 1.3));

TEST(Continuation, IsWhereItFitsBest) {
  const auto track = stretch_tone(130, 3 * kSoundTurn);
  for (const std::size_t end : {300U, 700U, 1000U}) {
    const auto tail = stretch_tone(130, kSoundTurn / 2, end - kSoundTurn / 2);
    const std::size_t found = best_continuation(tail, track);
    // Or some periods from there.
    const double off =
        std::remainder(static_cast<double>(found) - static_cast<double>(end), kSoundRate / 130.0);
    EXPECT_NEAR(off, 0, 3);
  }
  const std::vector<float> silence(2 * 3 * kSoundTurn);
  EXPECT_EQ(best_continuation(std::span(silence).first(kSoundTurn), silence), 3 * kSoundTurn / 2);
}

}  // namespace
}  // namespace qvid::media
