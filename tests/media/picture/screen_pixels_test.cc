// Shows that pictures are drawn at every size: colours stay, what is much smaller is a mean, and half a
// picture comes back sharper than by a bilinear filter, where that is worth its time.
#include "media/picture/screen_pixels.h"

#include <gtest/gtest.h>
#include <libyuv.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "media/picture/downscale.h"
#include "tests/media/drawn_text.h"
#include "tests/media/filled_frame.h"
#include "tests/media/psnr.h"

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

// By libyuv's bilinear filter, as pixels. What is drawn is grey: all colours are as luma.
VideoFrame bilinear(const VideoFrame& frame, PictureSize to) {
  const auto bytes_of = [](PictureSize size) {
    return static_cast<std::size_t>(4 * size.width * size.height);
  };
  std::vector<std::uint8_t> pixels(bytes_of(frame.size));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const int x = static_cast<int>(i) / 4 % frame.size.width;
    const int y = static_cast<int>(i) / 4 / frame.size.width;
    pixels[i] = frame.planes[0].data[y * frame.planes[0].stride + x];
  }
  std::vector<std::uint8_t> scaled(bytes_of(to));
  libyuv::ARGBScale(pixels.data(), 4 * frame.size.width, frame.size.width, frame.size.height,
                    scaled.data(), 4 * to.width, to.width, to.height, libyuv::kFilterBilinear);
  return picture(
      to, [&](int x, int y) { return scaled[static_cast<std::size_t>(4 * (y * to.width + x))]; });
}

// Half a page that is drawn at `to` is that much nearer to the page than by a bilinear filter, dB.
double sharper_than_bilinear(PictureSize page_size, PictureSize to) {
  VideoFrame page = draw_text(page_size, 0);
  page.range = ColorRange::kFull;
  const VideoFrame half = downscale_half(page);
  const VideoFrame wanted = bilinear(page, to);
  const Drawn seen = drawn(half, to);
  const VideoFrame blue = picture(to, [&](int x, int y) { return seen.blue(x, y); });
  return psnr(blue, wanted) - psnr(bilinear(half, to), wanted);
}

TEST(ScreenPixels, HalfAPictureComesBackSharperThanByABilinearFilter) {
  EXPECT_GT(sharper_than_bilinear({640, 400}, {640, 400}), 0.3);
  EXPECT_GT(sharper_than_bilinear({1280, 960}, {1280, 960}), 0.3);
  EXPECT_GT(sharper_than_bilinear({640, 400}, {480, 300}), 0.1);
  // Hardly larger, only higher, or large itself: not doubled.
  EXPECT_LT(std::abs(sharper_than_bilinear({640, 400}, {474, 300})), 0.1);
  EXPECT_LT(std::abs(sharper_than_bilinear({640, 400}, {400, 400})), 0.1);
  EXPECT_LT(std::abs(sharper_than_bilinear({1284, 960}, {1284, 960})), 0.1);
}

}  // namespace
}  // namespace qvid::media
