#include "media/source/buffer_picture.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace qvid::media {
namespace {

constexpr int kMostBufferSide = 16384;
// The least that I420 has.
constexpr int kLeastPartSide = 2;
// swscale reads rows by whole vectors, and so beyond their last pixel: by fewer bytes than one step of
// AVX2 takes, 16 pixels of four bytes.
constexpr std::int64_t kReadBeyond = 64;

bool is_side(int length) { return length > 0 && length <= kMostBufferSide; }

std::string told(const BufferPicture& buffer) {
  return size_text(buffer.size) + ", " + std::to_string(buffer.stride) + " bytes a row, from " +
         std::to_string(buffer.offset) + " on, in " + std::to_string(buffer.bytes.size()) +
         " bytes";
}

// With the padding that FFmpeg's own pictures have.
AvFramePtr padded_copy(const AVFrame& picture, std::int64_t row) {
  AvFramePtr copy = new_av_frame();
  copy->format = picture.format;
  copy->width = picture.width;
  copy->height = picture.height;
  if (av_frame_get_buffer(copy.get(), 0) < 0) throw std::bad_alloc();
  av_image_copy_plane(copy->data[0], copy->linesize[0], picture.data[0], picture.linesize[0],
                      static_cast<int>(row), picture.height);
  return copy;
}

}  // namespace

BufferPicture::Crop shown_part(const BufferPicture& buffer) {
  const auto within = [](int from, int length, int all) {
    return from >= 0 && length >= kLeastPartSide && std::int64_t{from} + length <= all;
  };
  const auto& crop = buffer.crop;
  if (within(crop.x, crop.size.width, buffer.size.width) &&
      within(crop.y, crop.size.height, buffer.size.height)) {
    return crop;
  }
  return {.x = 0, .y = 0, .size = buffer.size};
}

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
  const auto part = shown_part(buffer);
  const bool last_first = buffer.stride < 0;
  const std::int64_t first = last_first ? height - 1 - part.y : part.y;
  const std::int64_t last = last_first ? first : first + part.size.height - 1;  // in memory
  AvFramePtr picture = new_av_frame();
  picture->format = format;
  picture->width = part.size.width;
  picture->height = part.size.height;
  // FFmpeg's frames are never const; I420Converter only reads them.
  picture->data[0] = const_cast<std::uint8_t*>(buffer.bytes.data()) + buffer.offset + first * step +
                     std::int64_t{part.x} * pixel;
  picture->linesize[0] = static_cast<int>(last_first ? -step : step);
  const std::int64_t part_row = std::int64_t{part.size.width} * pixel;
  const std::int64_t end = static_cast<std::int64_t>(buffer.offset) + last * step +
                           std::int64_t{part.x} * pixel + part_row;
  if (room - end < kReadBeyond) return padded_copy(*picture, part_row);
  return picture;
}

}  // namespace qvid::media
