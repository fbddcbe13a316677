#include "media/picture/screen_pixels.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <string>

#include "media/picture/sws_colors.h"

namespace qvid::media {

// It reads beyond a width that is no multiple, in the last row beyond the picture's memory.
Plane ScreenPixels::with_room(const Plane& plane, int width, int height, std::size_t number) {
  const int row = row_of(width);
  if (plane.stride >= row) return plane;
  std::vector<std::uint8_t>& copy = roomy_[number];
  copy.resize(static_cast<std::size_t>(row) * static_cast<std::size_t>(height));
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    std::copy_n(plane.data + y * plane.stride, width, copy.data() + y * row);
  }
  return {copy.data(), row};
}

Result<std::monostate> ScreenPixels::convert(const VideoFrame& frame, std::uint8_t* pixels,
                                             int stride) {
  if (!converter_ || size_ != frame.size || range_ != frame.range || matrix_ != frame.matrix) {
    // Of whole groups: without them some processors leave the last pixels of a row as they were.
    const int width = row_of(frame.size.width);
    const int height = frame.size.height;
    converter_.reset(sws_getContext(width, height, AV_PIX_FMT_YUV420P, width, height,
                                    AV_PIX_FMT_BGR0, SWS_BILINEAR, nullptr, nullptr, nullptr));
    if (!converter_) {
      return Error{"cannot convert a picture of " + std::to_string(width) + "x" +
                   std::to_string(height)};
    }
    size_ = frame.size;
    range_ = frame.range;
    matrix_ = frame.matrix;
    set_colors(*converter_, range_, matrix_);
  }
  const std::uint8_t* planes[3];
  int strides[3];
  for (std::size_t i = 0; i < frame.planes.size(); ++i) {
    const Plane plane = with_room(frame.planes[i], i == 0 ? frame.size.width : frame.chroma_width(),
                                  i == 0 ? frame.size.height : frame.chroma_height(), i);
    planes[i] = plane.data;
    strides[i] = plane.stride;
  }
  std::uint8_t* const rows[] = {pixels};
  const int row[] = {stride};
  sws_scale(converter_.get(), planes, strides, 0, frame.size.height, rows, row);
  return std::monostate{};
}

}  // namespace qvid::media
