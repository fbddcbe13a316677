// Known YCbCr values come out as the right RGB, for both ranges and both matrices, on SDL's
// software renderer: no display is needed.
#include <SDL.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/media/filled_frame.h"
#include "ui/window/video_texture.h"

namespace qvid::ui {
namespace {

using media::ColorMatrix;
using media::ColorRange;

constexpr int kTolerance = 3;  // SDL computes with 6 bits of fraction

struct Rgb {
  int r = 0;
  int g = 0;
  int b = 0;
};
struct Yuv {
  std::uint8_t y = 0;
  std::uint8_t u = 0;
  std::uint8_t v = 0;
};
struct Named {
  const char* name;
  Rgb rgb;
};
constexpr std::array kColors{
    Named{"black", {0, 0, 0}},      Named{"white", {255, 255, 255}}, Named{"grey", {128, 128, 128}},
    Named{"red", {255, 0, 0}},      Named{"green", {0, 255, 0}},     Named{"blue", {0, 0, 255}},
    Named{"yellow", {255, 255, 0}}, Named{"skin", {200, 150, 120}},
};

// ITU-T H.273, equations for Kr and Kb, and section 8.3 for the ranges, in floating point.
Yuv to_yuv(Rgb c, ColorRange range, ColorMatrix matrix) {
  const double kr = matrix == ColorMatrix::kBt709 ? 0.2126 : 0.299;
  const double kb = matrix == ColorMatrix::kBt709 ? 0.0722 : 0.114;
  const double r = c.r / 255.0;
  const double g = c.g / 255.0;
  const double b = c.b / 255.0;
  const double y = kr * r + (1 - kr - kb) * g + kb * b;
  const double u = (b - y) / (2 * (1 - kb));
  const double v = (r - y) / (2 * (1 - kr));
  const bool full = range == ColorRange::kFull;
  const auto byte = [](double value) {
    return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
  };
  if (full) return {byte(255 * y), byte(255 * u + 128), byte(255 * v + 128)};
  return {byte(219 * y + 16), byte(224 * u + 128), byte(224 * v + 128)};
}

// A frame of one colour. The bytes between the rows are of another one.
media::VideoFrame plain_frame(media::PictureSize size, Yuv color, ColorRange range,
                              ColorMatrix matrix, int padding) {
  media::VideoFrame frame;
  frame.size = size;
  frame.range = range;
  frame.matrix = matrix;
  auto pixels = std::make_shared<std::array<std::vector<std::uint8_t>, 3>>();
  const std::array values{color.y, color.u, color.v};
  for (std::size_t i = 0; i < 3; ++i) {
    const int width = i == 0 ? size.width : frame.chroma_width();
    const int height = i == 0 ? size.height : frame.chroma_height();
    const int stride = width + padding;
    auto& plane = (*pixels)[i];
    plane.assign(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height), 77);
    for (int row = 0; row < height; ++row)
      std::fill_n(plane.begin() + row * stride, width, values[i]);
    frame.planes[i] = {plane.data(), stride};
  }
  frame.owner = pixels;
  return frame;
}

class ColorTest : public testing::Test {
 protected:
  static constexpr media::PictureSize kTarget{96, 96};

  void SetUp() override {
    surface_.reset(SDL_CreateRGBSurfaceWithFormat(0, kTarget.width, kTarget.height, 32,
                                                  SDL_PIXELFORMAT_ARGB8888));
    if (surface_) renderer_.reset(SDL_CreateSoftwareRenderer(surface_.get()));
    if (!renderer_) GTEST_SKIP() << "this SDL has no software renderer: " << SDL_GetError();
  }

  // All pixels of what is drawn at `where`, by rows.
  std::vector<std::array<std::uint8_t, 3>> pixels(const Rectangle& where) {
    std::vector<std::array<std::uint8_t, 3>> rgb(
        static_cast<std::size_t>(where.width * where.height));
    const SDL_Rect area{where.x, where.y, where.width, where.height};
    EXPECT_EQ(SDL_RenderReadPixels(renderer_.get(), &area, SDL_PIXELFORMAT_RGB24, rgb.data(),
                                   where.width * 3),
              0);
    return rgb;
  }

  void expect_color(VideoTexture& texture, const media::VideoFrame& frame, Rgb expected) {
    const Rectangle where{0, 0, frame.size.width, frame.size.height};
    SDL_SetRenderDrawColor(renderer_.get(), 255, 0, 255, 255);
    SDL_RenderClear(renderer_.get());
    const auto uploaded = texture.upload(frame);
    ASSERT_TRUE(uploaded) << uploaded.error().message;
    texture.draw(where);
    int worst = 0;
    std::array<std::uint8_t, 3> example{};
    for (const auto& pixel : pixels(where)) {
      const int error = std::max({std::abs(pixel[0] - expected.r), std::abs(pixel[1] - expected.g),
                                  std::abs(pixel[2] - expected.b)});
      if (error >= worst) example = pixel;
      worst = std::max(worst, error);
    }
    EXPECT_LE(worst, kTolerance) << "drawn as " << int{example[0]} << ',' << int{example[1]} << ','
                                 << int{example[2]} << ", expected " << expected.r << ','
                                 << expected.g << ',' << expected.b;
  }

  SurfaceHandle surface_;
  RendererHandle renderer_;
};

TEST_F(ColorTest, EveryRangeAndMatrixGivesTheRightColors) {
  VideoTexture texture(*renderer_);  // one for all: a stream may change its colours
  for (const ColorRange range : {ColorRange::kLimited, ColorRange::kFull}) {
    for (const ColorMatrix matrix : {ColorMatrix::kBt601, ColorMatrix::kBt709}) {
      for (const Named& color : kColors) {
        SCOPED_TRACE(std::string(color.name) + (range == ColorRange::kFull ? " full" : " limited") +
                     (matrix == ColorMatrix::kBt709 ? " BT.709" : " BT.601"));
        const Yuv yuv = to_yuv(color.rgb, range, matrix);
        expect_color(texture, plain_frame({32, 32}, yuv, range, matrix, 0), color.rgb);
      }
    }
  }
}

TEST_F(ColorTest, OddSizesAndPaddedRows) {
  const Rgb skin{200, 150, 120};
  for (const ColorRange range : {ColorRange::kLimited, ColorRange::kFull}) {
    for (const ColorMatrix matrix : {ColorMatrix::kBt601, ColorMatrix::kBt709}) {
      VideoTexture texture(*renderer_);
      const Yuv yuv = to_yuv(skin, range, matrix);
      for (const media::PictureSize size :
           {media::PictureSize{33, 17}, {16, 16}, {17, 40}, {64, 31}, {63, 63}}) {
        for (const int padding : {0, 1, 32}) {
          SCOPED_TRACE(testing::Message() << size.width << 'x' << size.height << " + " << padding);
          expect_color(texture, plain_frame(size, yuv, range, matrix, padding), skin);
        }
      }
    }
  }
}

// Brighter from left to right, redder from top to bottom.
media::VideoFrame slope(media::PictureSize size) {
  return media::filled_frame(size, [](std::size_t p, int x, int y, int width, int height) {
    return p == 0 ? 60 + 120 * x / width : 100 + 40 * y / height;
  });
}

TEST_F(ColorTest, LooksTheSameAtAnySizeOneAfterTheOther) {
  VideoTexture texture(*renderer_);
  ASSERT_TRUE(texture.upload(slope({64, 48})));
  for (const media::PictureSize size :
       {media::PictureSize{64, 48}, {17, 16}, {9, 5}, {64, 48}, {95, 71}, {32, 24}, {64, 48}}) {
    SCOPED_TRACE(testing::Message() << size.width << 'x' << size.height);
    const Rectangle where{0, 0, size.width, size.height};
    texture.draw(where);
    const auto seen = pixels(where);
    VideoTexture whole(*renderer_);
    ASSERT_TRUE(whole.upload(slope(size)));
    whole.draw(where);
    const auto expected = pixels(where);
    int worst = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        worst = std::max(worst, std::abs(seen[i][c] - expected[i][c]));
      }
    }
    const bool as_it_is = size == media::PictureSize{64, 48};
    EXPECT_LE(worst, as_it_is ? 0 : 40);
  }
}

TEST_F(ColorTest, DrawsNothingBeforeTheFirstPictureAndAfterReset) {
  VideoTexture texture(*renderer_);
  EXPECT_TRUE(texture.empty());
  SDL_SetRenderDrawColor(renderer_.get(), 1, 2, 3, 255);
  SDL_RenderClear(renderer_.get());
  texture.draw({0, 0, 8, 8});
  const Yuv white = to_yuv({255, 255, 255}, ColorRange::kFull, ColorMatrix::kBt601);
  ASSERT_TRUE(
      texture.upload(plain_frame({16, 16}, white, ColorRange::kFull, ColorMatrix::kBt601, 0)));
  EXPECT_FALSE(texture.empty());
  texture.draw({});
  texture.reset();
  texture.draw({0, 0, 8, 8});
  EXPECT_EQ(pixels({0, 0, 1, 1})[0], (std::array<std::uint8_t, 3>{1, 2, 3}));
}

}  // namespace
}  // namespace qvid::ui
