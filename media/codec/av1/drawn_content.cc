#include "media/codec/av1/drawn_content.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>

namespace qvid::media {
namespace {

constexpr int kBlock = 16;     // pixels
constexpr int kStep = 2;       // blocks
constexpr int kContrast = 32;  // between the darkest and the lightest
constexpr std::size_t kFew = 4;
constexpr int kMostOfBlock = kBlock * kBlock * 3 / 4;
constexpr int kPart = 3;  // of the blocks with contrast, one in so many

struct Block {
  bool contrast = false;
  bool few_colours = false;
};

Block look_at(const Plane& luma, int left, int top) {
  std::array<int, 256> pixels{};  // by value
  int darkest = 255;
  int lightest = 0;
  for (int y = top; y < top + kBlock; ++y) {
    const std::uint8_t* row = luma.data + static_cast<std::ptrdiff_t>(y) * luma.stride;
    for (int x = left; x < left + kBlock; ++x) {
      ++pixels[row[x]];
      darkest = std::min<int>(darkest, row[x]);
      lightest = std::max<int>(lightest, row[x]);
    }
  }
  if (lightest - darkest < kContrast) return {};
  std::partial_sort(pixels.begin(), pixels.begin() + kFew, pixels.end(), std::greater<>());
  const int most = std::accumulate(pixels.begin(), pixels.begin() + kFew, 0);
  return {.contrast = true, .few_colours = most >= kMostOfBlock};
}

}  // namespace

bool is_drawn(const VideoFrame& frame) {
  int contrast = 0;
  int few = 0;
  for (int y = 0; y + kBlock <= frame.size.height; y += kStep * kBlock) {
    for (int x = 0; x + kBlock <= frame.size.width; x += kStep * kBlock) {
      const Block block = look_at(frame.planes[0], x, y);
      contrast += block.contrast ? 1 : 0;
      few += block.few_colours ? 1 : 0;
    }
  }
  return few * kPart > contrast;
}

}  // namespace qvid::media
