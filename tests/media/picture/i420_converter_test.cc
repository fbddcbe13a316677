#include "media/picture/i420_converter.h"

#include <gtest/gtest.h>

namespace qvid::media {
namespace {

TEST(FitInside, KeepsTheShapeInTheMiddle) {
  EXPECT_EQ(fit_inside({640, 480}, {320, 240}), (Placement{0, 0, {320, 240}}));
  EXPECT_EQ(fit_inside({1920, 1080}, {640, 480}), (Placement{0, 60, {640, 360}}));
  EXPECT_EQ(fit_inside({480, 640}, {640, 480}), (Placement{140, 0, {360, 480}}));
  EXPECT_EQ(fit_inside({4096, 16}, {16, 16}), (Placement{0, 6, {16, 2}}));
}

}  // namespace
}  // namespace qvid::media
