#include "media/codec/av1/drawn_content.h"

#include <bitset>
#include <cstddef>

namespace qvid::media {
namespace {

constexpr int kBlock = 16;       // pixels
constexpr int kStep = 2;         // blocks
constexpr std::size_t kFew = 4;  // values
constexpr int kPart = 10;

bool few_colours(const Plane& luma, int left, int top) {
  std::bitset<256> seen;
  for (int y = top; y < top + kBlock; ++y) {
    const std::uint8_t* row = luma.data + static_cast<std::ptrdiff_t>(y) * luma.stride;
    for (int x = left; x < left + kBlock; ++x) seen.set(row[x]);
    if (seen.count() > kFew) return false;
  }
  return seen.count() > 1;
}

}  // namespace

bool is_drawn(const VideoFrame& frame) {
  int blocks = 0;
  int few = 0;
  for (int y = 0; y + kBlock <= frame.size.height; y += kStep * kBlock) {
    for (int x = 0; x + kBlock <= frame.size.width; x += kStep * kBlock) {
      ++blocks;
      if (few_colours(frame.planes[0], x, y)) ++few;
    }
  }
  return few * kPart > blocks;
}

}  // namespace qvid::media
