// Shows that the encoder's rate follows the best receiver while its base follows the weakest.
#include "media/live/encoder_rate.h"

#include <gtest/gtest.h>

#include <vector>

namespace qvid::media {
namespace {

constexpr auto kHighest = DataRate::from_kbps(2500);
DataRate kbps(std::int64_t n) { return DataRate::from_kbps(n); }

TEST(EncoderRate, FollowsTheBestViewerAndItsBaseTheWeakest) {
  EncoderRate rate(kHighest);
  const std::vector<DataRate> viewers{kbps(300), kbps(1800), kbps(900)};
  EXPECT_EQ(rate.rates(viewers, false),
            (EncoderRates{.total = kbps(1800), .base = kbps(150), .base_needed = true}));
  EXPECT_EQ(rate.rates(std::vector{kbps(1800)}, false),
            (EncoderRates{.total = kbps(1800), .base = kbps(360), .base_needed = false}));
}

TEST(EncoderRate, WithoutViewersItIsTheHighest) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates({}, false),
            (EncoderRates{.total = kHighest, .base = kbps(500), .base_needed = false}));
}

TEST(EncoderRate, TheBaseIsNeverNothing) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates(std::vector{kbps(60), kbps(2500)}, false).base, kbps(40));
}

TEST(EncoderRate, TheBaseIsNeededWhereReceiversDiffer) {
  EncoderRate rate(kHighest);
  const auto needed = [&](int lowest) {
    return rate.rates(std::vector{kbps(lowest), kbps(1000)}, false).base_needed;
  };
  EXPECT_FALSE(needed(750));
  EXPECT_TRUE(needed(650));
  EXPECT_TRUE(needed(800));
  EXPECT_FALSE(needed(900));
}

TEST(EncoderRate, TheBaseIsNeededBesideACompetitor) {
  EncoderRate rate(kHighest);
  EXPECT_TRUE(rate.rates(std::vector{kbps(900)}, true).base_needed);
  EXPECT_FALSE(rate.rates(std::vector{kbps(900)}, false).base_needed);
}

}  // namespace
}  // namespace qvid::media
