// Half the size: the rounded mean.
#include "media/picture/downscale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tests/media/filled_frame.h"

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

TEST(Downscale, IsTheSameAtAnyWidth) {
  for (int width = 1; width <= 70; ++width) {
    for (const int height : {1, 2, 3, 5}) {
      const VideoFrame from =
          filled_frame({width, height}, [](std::size_t p, int x, int y, int, int) {
            return (static_cast<int>(p) * 50 + x * x * 7 + y * 31) % 256;
          });
      const VideoFrame half = downscale_half(from);
      for (std::size_t p = 0; p < 3; ++p) {
        const int columns = p == 0 ? width : from.chroma_width();
        const int rows = p == 0 ? height : from.chroma_height();
        const auto at = [&](int x, int y) {
          return from.planes[p]
              .data[std::min(y, rows - 1) * from.planes[p].stride + std::min(x, columns - 1)];
        };
        for (int y = 0; y < (p == 0 ? half.size.height : half.chroma_height()); ++y) {
          for (int x = 0; x < (p == 0 ? half.size.width : half.chroma_width()); ++x) {
            const int mean = (at(2 * x, 2 * y) + at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1) +
                              at(2 * x + 1, 2 * y + 1) + 2) /
                             4;
            ASSERT_EQ(half.planes[p].data[y * half.planes[p].stride + x], mean)
                << width << 'x' << height << ": " << p << ", " << x << ", " << y;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace qvid::media
