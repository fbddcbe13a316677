// Shows that pictures are drawn at every size: colours stay, and what is much smaller is a mean.
#include "media/picture/screen_pixels.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "tests/media/filled_frame.h"

namespace qvid::media {
namespace {

VideoFrame picture(PictureSize size, const std::function<int(int x, int y)>& luma) {
  VideoFrame frame = filled_frame(
      size, [&](std::size_t p, int x, int y, int, int) { return p == 0 ? luma(x, y) : 128; });
  frame.range = ColorRange::kFull;
  return frame;
}

struct Drawn {
  std::vector<std::uint8_t> bytes;
  PictureSize size;
  int stride;
  std::array<int, 3> colors(int x, int y) const {
    const std::uint8_t* const pixel = &bytes[static_cast<std::size_t>(y * stride + 4 * x)];
    return {pixel[0], pixel[1], pixel[2]};
  }
  int blue(int x, int y) const { return colors(x, y)[0]; }
};

// Behind each row there is room that must stay as it is.
Drawn drawn(const VideoFrame& frame, PictureSize to) {
  constexpr int kBehind = 20;
  constexpr std::uint8_t kUntouched = 77;
  ScreenPixels pixels;
  pixels.take(frame);
  const int stride = 4 * to.width + kBehind;
  Drawn drawn{std::vector<std::uint8_t>(static_cast<std::size_t>(stride * to.height), kUntouched),
              to, stride};
  const auto done = pixels.draw(to, drawn.bytes.data(), stride);
  EXPECT_TRUE(done) << done.error().message;
  for (int y = 0; y < to.height; ++y) {
    for (int i = 4 * to.width; i < stride; ++i) {
      EXPECT_EQ(drawn.bytes[static_cast<std::size_t>(y * stride + i)], kUntouched) << i << ' ' << y;
    }
  }
  return drawn;
}

TEST(ScreenPixels, ASlopeIsTheSameAtAnySizeAndOfAllColours) {
  using enum ColorRange;
  using enum ColorMatrix;
  for (const auto& [range, matrix] : {std::pair(kFull, kBt601), std::pair(kLimited, kBt601),
                                      std::pair(kFull, kBt709), std::pair(kLimited, kBt709)}) {
    for (const PictureSize from : {PictureSize{64, 48}, {61, 47}, {320, 180}, {33, 16}}) {
      VideoFrame slope = picture(from, [&](int x, int) { return 20 + 200 * x / from.width; });
      slope.range = range;
      slope.matrix = matrix;
      for (const PictureSize to : {from, {128, 96}, {31, 17}, {300, 169}, {16, 16}, {70, 20}}) {
        SCOPED_TRACE(testing::Message()
                     << from.width << 'x' << from.height << " to " << to.width << 'x' << to.height
                     << ", " << static_cast<int>(range) << static_cast<int>(matrix));
        const Drawn at = drawn(slope, to);
        for (int x = 0; x < to.width; ++x) {
          const int luma = 20 + 200 * x / to.width;
          const int wanted = range == kFull ? luma : (luma - 16) * 255 / 219;
          // Of the limited range each step is 1.16 of the screen's.
          const int least = range == kFull ? 3 : 4;
          const int slope_of = range == kFull ? 200 : 230;
          for (const int color : at.colors(x, to.height / 2)) {
            ASSERT_NEAR(color, wanted, least + slope_of / to.width + slope_of / from.width) << x;
          }
        }
      }
    }
  }
}

// Of a shared screen that is shown small: a pixel taken of many would make dashes of its lines.
TEST(ScreenPixels, LinesThatAreTooThinToBeSeenAreGrey) {
  const VideoFrame lines =
      picture({960, 540}, [](int x, int y) { return (x + y) % 2 == 0 ? 0 : 255; });
  for (const PictureSize to :
       {PictureSize{480, 270}, {320, 180}, {384, 216}, {240, 135}, {192, 108}, {137, 77}}) {
    SCOPED_TRACE(testing::Message() << to.width << 'x' << to.height);
    const Drawn at = drawn(lines, to);
    for (int y = 1; y + 1 < to.height; ++y) {
      for (int x = 1; x + 1 < to.width; ++x) ASSERT_NEAR(at.blue(x, y), 127, 4) << x << ' ' << y;
    }
  }
}

TEST(ScreenPixels, IsEmptyAfterItWasCleared) {
  ScreenPixels pixels;
  EXPECT_TRUE(pixels.empty());
  const VideoFrame grey = picture({64, 48}, [](int, int) { return 100; });
  pixels.take(grey);
  EXPECT_FALSE(pixels.empty());
  EXPECT_EQ(pixels.size(), (PictureSize{64, 48}));
  pixels.clear();
  EXPECT_TRUE(pixels.empty());
  std::uint8_t none[4];
  EXPECT_FALSE(pixels.draw({1, 1}, none, 4));
  pixels.take(grey);
  std::vector<std::uint8_t> row(std::size_t{64} * 48 * 4);
  EXPECT_TRUE(pixels.draw({64, 48}, row.data(), 64 * 4));
  EXPECT_NEAR(row[0], 100, 1);
}

}  // namespace
}  // namespace qvid::media
