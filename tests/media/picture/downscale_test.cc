// Half the size: the rounded mean.
#include "media/picture/downscale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace qvid::media {
namespace {

TEST(Downscale, IsTheRoundedMeanAndRepeatsTheEdge) {
  NewFrame source = allocate_frame({6, 2});
  const std::array<std::uint8_t, 12> luma = {0, 1, 10, 20, 255, 255, 0, 0, 30, 41, 255, 255};
  for (std::ptrdiff_t i = 0; i < 12; ++i) {
    source.writable[0][i / 6 * source.frame.planes[0].stride + i % 6] =
        luma[static_cast<std::size_t>(i)];
  }
  for (std::ptrdiff_t x = 0; x < 3; ++x) {
    source.writable[1][x] = source.writable[2][x] = static_cast<std::uint8_t>(10 * x);
  }
  const VideoFrame half = downscale_half(source.frame);
  EXPECT_EQ(half.size, (PictureSize{4, 2}));
  for (int y = 0; y < 2; ++y) {
    const std::uint8_t* row = half.planes[0].data + y * half.planes[0].stride;
    const bool second = y == 1;  // padding: the last row of the source again
    EXPECT_EQ(row[0], 0);
    EXPECT_EQ(row[1], second ? 36 : 25);
    EXPECT_EQ(row[2], 255);
    EXPECT_EQ(row[3], 255);
  }
  EXPECT_EQ(half.planes[1].data[0], 5);
  EXPECT_EQ(half.planes[2].data[1], 20);
}

}  // namespace
}  // namespace qvid::media
