// Shows that pictures made smaller or larger keep their shape, their colours and what is known of them,
// and that half a picture comes back sharper than by a bilinear filter.
#include "media/picture/frame_scaler.h"

#include <gtest/gtest.h>
#include <libyuv.h>

#include <cstdlib>

#include "media/picture/downscale.h"
#include "tests/media/drawn_text.h"
#include "tests/media/filled_frame.h"
#include "tests/media/psnr.h"

namespace qvid::media {
namespace {

// Left to right and top to bottom ever brighter; each chroma plane the other way.
VideoFrame slope(PictureSize size) {
  VideoFrame frame = filled_frame(size, [](std::size_t p, int x, int y, int width, int height) {
    const int value = 20 + 100 * x / width + 100 * y / height;
    return p == 1 ? 240 - value : value;
  });
  frame.range = ColorRange::kFull;
  frame.matrix = ColorMatrix::kBt709;
  frame.captured = Timestamp(7s);
  return frame;
}

TEST(FrameScaler, SizesAreEvenKeepTheShapeAndHaveALeast) {
  EXPECT_EQ(scaled_size({640, 480}, 1.0), (PictureSize{640, 480}));
  EXPECT_EQ(scaled_size({640, 480}, 0.75), (PictureSize{480, 360}));
  EXPECT_EQ(scaled_size({640, 480}, 0.5), (PictureSize{320, 240}));
  EXPECT_EQ(scaled_size({1280, 720}, 0.75), (PictureSize{960, 540}));
  EXPECT_EQ(scaled_size({646, 482}, 0.5), (PictureSize{324, 242}));
  EXPECT_EQ(scaled_size({16, 16}, 0.5), (PictureSize{16, 16}));
  EXPECT_EQ(scaled_size({40, 20}, 0.5), (PictureSize{32, 16}));
  EXPECT_EQ(scaled_size({18, 4096}, 0.5), (PictureSize{16, 3640}));
  for (int width = kMinSide; width < 200; width += 2) {
    for (int height = kMinSide; height < 200; height += 2) {
      for (const double scale : {0.5, 0.75}) {
        const PictureSize size = scaled_size({width, height}, scale);
        ASSERT_TRUE(is_supported(size) && size.width % 2 == 0 && size.height % 2 == 0);
        ASSERT_LE(size.width, width);
        ASSERT_LE(size.height, height);
        // Both within one pixel of the shape.
        ASSERT_LE(std::abs(size.width * height - size.height * width), width + height);
      }
    }
  }
}

TEST(FrameScaler, PicturesLookTheSame) {
  FrameScaler scaler;
  for (const auto& [from, to] : {std::pair{PictureSize{640, 480}, PictureSize{480, 360}},
                                 {{640, 480}, {320, 240}},
                                 {{646, 482}, {324, 242}},
                                 {{46, 34}, {34, 26}},
                                 {{320, 240}, {640, 480}},
                                 {{64, 48}, {64, 48}}}) {
    SCOPED_TRACE(testing::Message() << from.width << " to " << to.width);
    const auto scaled = scaler.scale(slope(from), to);
    ASSERT_TRUE(scaled) << scaled.error().message;
    const VideoFrame wanted = slope(to);
    EXPECT_EQ(scaled->size, to);
    EXPECT_EQ(scaled->range, ColorRange::kFull);
    EXPECT_EQ(scaled->matrix, ColorMatrix::kBt709);
    EXPECT_EQ(scaled->captured, Timestamp(7s));
    for (std::size_t p = 0; p < 3; ++p) {
      const int width = p == 0 ? to.width : scaled->chroma_width();
      const int height = p == 0 ? to.height : scaled->chroma_height();
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          ASSERT_NEAR(scaled->planes[p].data[y * scaled->planes[p].stride + x],
                      wanted.planes[p].data[y * wanted.planes[p].stride + x], 6)
              << p << ' ' << x << ' ' << y;
        }
      }
    }
  }
}

TEST(FrameScaler, HalfAPictureComesBackSharperThanByABilinearFilter) {
  FrameScaler scaler;
  const VideoFrame text = draw_text({640, 400}, 0);
  const VideoFrame half = downscale_half(text);
  const auto back = scaler.scale(half, text.size);
  ASSERT_TRUE(back) << back.error().message;
  NewFrame bilinear = allocate_frame(text.size);
  libyuv::ScalePlane(half.planes[0].data, half.planes[0].stride, half.size.width, half.size.height,
                     bilinear.writable[0], bilinear.frame.planes[0].stride, text.size.width,
                     text.size.height, libyuv::kFilterBilinear);
  EXPECT_GT(psnr(*back, text), psnr(bilinear.frame, text) + 0.3);
}

}  // namespace
}  // namespace qvid::media
