#include "media/source/buffer_picture.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
}

namespace qvid::media {
namespace {

constexpr int kMostBufferSide = 16384;

bool is_side(int length) { return length > 0 && length <= kMostBufferSide; }

std::string told(const BufferPicture& buffer) {
  return std::to_string(buffer.size.width) + "x" + std::to_string(buffer.size.height) + ", " +
         std::to_string(buffer.stride) + " bytes a row, from " + std::to_string(buffer.offset) +
         " on, in " + std::to_string(buffer.bytes.size()) + " bytes";
}

}  // namespace

Result<AvFramePtr> picture_in(const BufferPicture& buffer) {
  const auto format = static_cast<AVPixelFormat>(buffer.format);
  const AVPixFmtDescriptor* const about = av_pix_fmt_desc_get(format);
  const int pixel = about == nullptr ? 0 : av_get_padded_bits_per_pixel(about) / 8;
  if (pixel < 1 || av_pix_fmt_count_planes(format) != 1) {
    return Error{"pictures of the desktop have a format that is not known here"};
  }
  const auto [width, height] = buffer.size;
  const Error wrong{"a picture of the desktop is not what it is said to be (" + told(buffer) + ")"};
  if (!is_side(width) || !is_side(height)) return wrong;
  const std::int64_t row = std::int64_t{width} * pixel;
  const std::int64_t step = buffer.stride == 0 ? row : std::abs(std::int64_t{buffer.stride});
  const std::int64_t all = step * (height - 1) + row;
  const auto room = static_cast<std::int64_t>(buffer.bytes.size());
  if (step < row || step > std::numeric_limits<int>::max() || buffer.offset > buffer.bytes.size() ||
      all > room - static_cast<std::int64_t>(buffer.offset)) {
    return wrong;
  }
  auto part = buffer.crop;
  if (part.size == PictureSize{}) part = {.x = 0, .y = 0, .size = buffer.size};
  if (!is_side(part.size.width) || !is_side(part.size.height) || part.x < 0 || part.y < 0 ||
      part.x > width - part.size.width || part.y > height - part.size.height) {
    return wrong;
  }
  const bool last_first = buffer.stride < 0;
  const std::int64_t first = last_first ? height - 1 - part.y : part.y;
  AvFramePtr picture = new_av_frame();
  picture->format = format;
  picture->width = part.size.width;
  picture->height = part.size.height;
  // FFmpeg's frames are never const; I420Converter only reads them.
  picture->data[0] = const_cast<std::uint8_t*>(buffer.bytes.data()) + buffer.offset + first * step +
                     std::int64_t{part.x} * pixel;
  picture->linesize[0] = static_cast<int>(last_first ? -step : step);
  return picture;
}

}  // namespace qvid::media
