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
  EXPECT_EQ(rate.rates(viewers),
            (EncoderRates{.total = kbps(1800), .base = kbps(150), .layers = 2}));
  EXPECT_EQ(rate.rates(std::vector{kbps(1800)}),
            (EncoderRates{.total = kbps(1800), .base = kbps(360), .layers = 2}));
}

TEST(EncoderRate, WithoutViewersItIsTheHighest) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates({}), (EncoderRates{.total = kHighest, .base = kbps(500), .layers = 2}));
}

TEST(EncoderRate, TheBaseIsNeverNothing) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates(std::vector{kbps(60), kbps(2500)}).base, kbps(40));
}

TEST(EncoderRate, ANarrowPathGetsTheBaseAlone) {
  EncoderRate rate(kHighest);
  EXPECT_EQ(rate.rates(std::vector{kbps(160)}).layers, 2);
  EXPECT_EQ(rate.rates(std::vector{kbps(140)}),
            (EncoderRates{.total = kbps(280), .base = kbps(140), .layers = 1}));
  EXPECT_EQ(rate.rates(std::vector{kbps(190)}).layers, 1);
  EXPECT_EQ(rate.rates(std::vector{kbps(210)}).layers, 2);
}

}  // namespace
}  // namespace qvid::media
