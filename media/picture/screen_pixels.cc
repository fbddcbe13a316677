#include "media/picture/screen_pixels.h"

extern "C" {
#include <libswscale/swscale.h>
}
#include <libyuv.h>

#include <algorithm>
#include <string>

#include "media/picture/sws_colors.h"

namespace qvid::media {
namespace {

constexpr int kPixel = 4;  // bytes

// Pixels that a row is to have room for: swscale reads and writes 16 together.
constexpr int row_of(int width) { return (width + 15) / 16 * 16; }

Error refused(const char* what, PictureSize size) {
  return {std::string("cannot ") + what + " a picture of " + std::to_string(size.width) + "x" +
          std::to_string(size.height)};
}

}  // namespace

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

Result<std::monostate> ScreenPixels::take(const VideoFrame& frame) {
  // Of whole groups: without them some processors leave the last pixels of a row as they were.
  const int width = row_of(frame.size.width);
  const int height = frame.size.height;
  if (!converter_ || size_ != frame.size || range_ != frame.range || matrix_ != frame.matrix) {
    converter_.reset(sws_getContext(width, height, AV_PIX_FMT_YUV420P, width, height,
                                    AV_PIX_FMT_BGR0, SWS_BILINEAR, nullptr, nullptr, nullptr));
    if (!converter_) return refused("convert", frame.size);
    size_ = frame.size;
    range_ = frame.range;
    matrix_ = frame.matrix;
    set_colors(*converter_, range_, matrix_);
  }
  const std::uint8_t* planes[3];
  int strides[3];
  for (std::size_t i = 0; i < frame.planes.size(); ++i) {
    const Plane plane = with_room(frame.planes[i], i == 0 ? frame.size.width : frame.chroma_width(),
                                  i == 0 ? height : frame.chroma_height(), i);
    planes[i] = plane.data;
    strides[i] = plane.stride;
  }
  whole_.size = frame.size;
  whole_.stride = width * kPixel;
  whole_.bytes.resize(static_cast<std::size_t>(whole_.stride) * static_cast<std::size_t>(height));
  std::uint8_t* const rows[] = {whole_.bytes.data()};
  const int row[] = {whole_.stride};
  sws_scale(converter_.get(), planes, strides, 0, height, rows, row);
  return std::monostate{};
}

void ScreenPixels::clear() {
  whole_ = Pixels();
  halves_ = {};
  roomy_ = {};
}

Result<std::monostate> ScreenPixels::draw(PictureSize to, std::uint8_t* pixels, int stride) {
  const Pixels* from = &whole_;
  for (std::size_t i = 0; 2 * to.width <= from->size.width && 2 * to.height <= from->size.height;
       i = 1 - i) {
    Pixels& half = halves_[i];
    half.size = {from->size.width / 2, from->size.height / 2};
    half.stride = half.size.width * kPixel;
    half.bytes.resize(static_cast<std::size_t>(half.stride) *
                      static_cast<std::size_t>(half.size.height));
    // Of an odd side the last pixel is left out.
    if (libyuv::ARGBScale(from->bytes.data(), from->stride, 2 * half.size.width,
                          2 * half.size.height, half.bytes.data(), half.stride, half.size.width,
                          half.size.height, libyuv::kFilterBox) != 0) {
      return refused("halve", from->size);
    }
    from = &half;
  }
  if (libyuv::ARGBScale(from->bytes.data(), from->stride, from->size.width, from->size.height,
                        pixels, stride, to.width, to.height, libyuv::kFilterBilinear) != 0) {
    return refused("scale", from->size);
  }
  return std::monostate{};
}

}  // namespace qvid::media
