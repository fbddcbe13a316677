#include "media/picture/video_frame.h"

#include <cstddef>
#include <cstring>
#include <new>

namespace qvid::media {
namespace {

// Rows start on a cache line: what the vector code of x264 and swscale likes best.
constexpr std::size_t kAlignment = 64;

constexpr std::size_t aligned_up(int bytes) {
  return (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
}

struct AlignedDelete {
  void operator()(std::uint8_t* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
};

}  // namespace

std::string size_text(PictureSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

NewFrame allocate_frame(PictureSize size) {
  NewFrame made;
  made.frame.size = size;
  const std::size_t luma_stride = aligned_up(size.width);
  const std::size_t chroma_stride = aligned_up(made.frame.chroma_width());
  const std::size_t luma_bytes = luma_stride * static_cast<std::size_t>(size.height);
  const std::size_t chroma_bytes =
      chroma_stride * static_cast<std::size_t>(made.frame.chroma_height());

  std::shared_ptr<std::uint8_t> pixels(
      static_cast<std::uint8_t*>(
          ::operator new (luma_bytes + 2 * chroma_bytes, std::align_val_t{kAlignment})),
      AlignedDelete{});
  made.writable = {pixels.get(), pixels.get() + luma_bytes,
                   pixels.get() + luma_bytes + chroma_bytes};
  for (std::size_t p = 0; p < made.writable.size(); ++p) {
    made.frame.planes[p] = {made.writable[p],
                            static_cast<int>(p == 0 ? luma_stride : chroma_stride)};
  }
  made.frame.owner = std::move(pixels);
  return made;
}

VideoFrame own_copy(const VideoFrame& of) {
  NewFrame made = allocate_frame(of.size);
  for (std::size_t p = 0; p < made.writable.size(); ++p) {
    const int width = p == 0 ? of.size.width : of.chroma_width();
    const int height = p == 0 ? of.size.height : of.chroma_height();
    for (int row = 0; row < height; ++row) {
      std::memcpy(made.writable[p] + std::ptrdiff_t{row} * made.frame.planes[p].stride,
                  of.planes[p].data + std::ptrdiff_t{row} * of.planes[p].stride,
                  static_cast<std::size_t>(width));
    }
  }
  made.frame.range = of.range;
  made.frame.matrix = of.matrix;
  made.frame.captured = of.captured;
  return made.frame;
}

}  // namespace qvid::media
