#include "lab/glass/clock_picture.h"

#include <algorithm>
#include <cstddef>

#include "lab/glass/clock_time.h"
#include "lab/glass/strip.h"
#include "media/picture/video_frame.h"
#include "media/source/test_scene.h"

namespace qvid::lab {
namespace {

constexpr media::PictureSize kScene{kClockWidth, kClockHeight - kStripHeight};
// The strip's numbers begin again after so many, and so does the scene: 37 minutes.
constexpr std::int64_t kNumbers = std::int64_t{1} << kNumberBits;

std::uint32_t byte_of(int value) {
  return static_cast<std::uint32_t>(std::clamp((value + 128) >> 8, 0, 255));
}

// ITU-R BT.601, 16..235.
std::uint32_t rgb(int y, int u, int v) {
  const int light = (y - 16) * 298;
  u -= 128;
  v -= 128;
  return byte_of(light + 409 * v) << 16 | byte_of(light - 100 * u - 208 * v) << 8 |
         byte_of(light + 516 * u);
}

}  // namespace

ClockPicture::ClockPicture()
    : pixels_(static_cast<std::size_t>(kClockWidth) * static_cast<std::size_t>(kClockHeight)) {}

Pixels ClockPicture::draw(std::int64_t number) {
  const std::int64_t index = number % kNumbers;
  media::NewFrame scene = media::allocate_frame(kScene);
  media::draw_test_scene(scene, index, kClockRate.time_of(index));
  const auto& planes = scene.frame.planes;
  std::uint32_t* out = pixels_.data() + std::ptrdiff_t{kStripHeight} * kClockWidth;
  for (int y = 0; y < kScene.height; ++y) {
    const std::uint8_t* light = planes[0].data + std::ptrdiff_t{y} * planes[0].stride;
    const std::uint8_t* u = planes[1].data + std::ptrdiff_t{y / 2} * planes[1].stride;
    const std::uint8_t* v = planes[2].data + std::ptrdiff_t{y / 2} * planes[2].stride;
    for (int x = 0; x < kScene.width; ++x) *out++ = rgb(light[x], u[x / 2], v[x / 2]);
  }
  draw_strip(pixels_, number);
  return {.data = pixels_.data(), .width = kClockWidth, .height = kClockHeight};
}

}  // namespace qvid::lab
