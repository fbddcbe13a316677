// What the page has in the place of libopus and SoundTouch, beside the one and by itself.
#include <gtest/gtest.h>
#include <opus.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "media/sound/sound_block.h"
#include "media/sound/sound_packet.h"
#include "media/sound/time_stretcher.h"

namespace qvid::media {
namespace {

TEST(OpusDuration, IsLibopussOfEveryFirstByte) {
  for (int toc = 0; toc < 256; ++toc) {
    for (int count = 0; count < 64; ++count) {
      const unsigned char packet[] = {
          static_cast<unsigned char>(toc), static_cast<unsigned char>(count), 1, 2, 3, 4};
      const int samples = opus_packet_get_nb_samples(packet, sizeof packet, kSoundRate);
      const auto duration = opus_duration(std::as_bytes(std::span(packet)));
      if (samples > 0 && sound_time(samples) <= kMaxSoundPacket) {
        ASSERT_TRUE(duration) << toc << " " << count;
        EXPECT_EQ(*duration, sound_time(samples)) << toc << " " << count;
      } else {
        EXPECT_FALSE(duration) << toc << " " << count;
      }
    }
  }
  EXPECT_FALSE(opus_duration({}));
}

std::vector<float> tone(std::size_t frames) {
  std::vector<float> stereo;
  for (std::size_t i = 0; i < frames; ++i) {
    const auto sample = static_cast<float>(
        0.5 * std::sin(2 * std::numbers::pi * 150 * static_cast<double>(i) / kSoundRate));
    stereo.push_back(sample);
    stereo.push_back(sample);
  }
  return stereo;
}

class Stretched : public testing::TestWithParam<double> {};

TEST_P(Stretched, IsAsMuchLongerAndHasNoClicks) {
  const auto input = tone(kSoundRate * 2);
  TimeStretcher stretcher;
  stretcher.begin(GetParam());
  std::vector<float> output;
  for (std::size_t at = 0; at < input.size(); at += 2 * kSoundTurn) {
    stretcher.put(std::span(input).subspan(at, 2 * kSoundTurn));
    std::vector<float> more(2 * stretcher.ready());
    stretcher.take(more);
    output.insert(output.end(), more.begin(), more.end());
    // As far behind as SoundPlayoutEngine waits for it, and no further.
    const double used = static_cast<double>(output.size()) / 2 * GetParam();
    EXPECT_LE(static_cast<double>(at) / 2 + kSoundTurn - used,
              static_cast<double>(TimeStretcher::kAhead) + 2.0 * kSoundTurn);
  }
  ASSERT_GT(output.size(), 2 * kSoundTurn);
  // Begins as the input does.
  for (std::size_t i = 0; i < 2 * kSoundTurn; ++i) ASSERT_FLOAT_EQ(output[i], input[i]) << i;
  const double made = static_cast<double>(output.size()) / static_cast<double>(input.size());
  EXPECT_NEAR(made, 1 / GetParam(), 0.05);
  // The tone moves by 0.01 a frame at the most.
  for (std::size_t i = 2; i < output.size(); i += 2) {
    ASSERT_LT(std::abs(output[i] - output[i - 2]), 0.03) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Speeds, Stretched, testing::Values(0.75, 0.9, 1.0, 1.1, 1.25));

}  // namespace
}  // namespace qvid::media
