#include "tests/bench/bd_rate.h"

#include <gtest/gtest.h>

#include "tests/bench/ssim.h"
#include "tests/media/h264_video.h"

namespace qvid::media {
namespace {

TEST(BdRate, IsTheMeanOfWhatTheSameQualityTakes) {
  const std::vector<RatePoint> rival = {{100, 30}, {200, 33}, {400, 36}};
  EXPECT_NEAR(bd_rate({{50, 30}, {100, 33}, {200, 36}}, rival).value(), -50, 0.01);
  EXPECT_NEAR(bd_rate({{100, 30}, {200, 33}, {400, 36}}, rival).value(), 0, 0.01);
  EXPECT_NEAR(bd_rate({{800, 36}, {200, 30}}, rival).value(), 100, 0.01) << "in any order";
  EXPECT_FALSE(bd_rate({{100, 40}, {200, 43}}, rival)) << "nothing to compare";
  EXPECT_FALSE(bd_rate({}, rival));
}

TEST(Ssim, IsOneOfTheSameAndLessOfOthers) {
  const PictureSize size{64, 48};
  EXPECT_NEAR(ssim(draw(size, 1), draw(size, 1)), 1, 1e-9);
  EXPECT_LT(ssim(draw(size, 1), draw(size, 9)), 0.9);
}

}  // namespace
}  // namespace qvid::media
