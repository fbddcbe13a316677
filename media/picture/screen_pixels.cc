#include "media/picture/screen_pixels.h"

extern "C" {
#include <libswscale/swscale.h>
}
#include <libyuv.h>

#include <algorithm>
#include <string>

#include "media/picture/downscale.h"
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

// Null: libyuv's are not exact.
const libyuv::YuvConstants* constants_of(ColorRange range, ColorMatrix matrix) {
  const bool full = range == ColorRange::kFull;
  if (matrix == ColorMatrix::kBt709) return full ? &libyuv::kYuvF709Constants : nullptr;
  return full ? &libyuv::kYuvJPEGConstants : &libyuv::kYuvI601Constants;
}

// As planes, by bilinear interpolation.
Result<VideoFrame> with_rows(const VideoFrame& frame, int rows) {
  const PictureSize to{frame.size.width, rows};
  NewFrame made = allocate_frame(to);
  const auto& [y, u, v] = frame.planes;
  const auto& [to_y, to_u, to_v] = made.frame.planes;
  if (libyuv::I420Scale(y.data, y.stride, u.data, u.stride, v.data, v.stride, frame.size.width,
                        frame.size.height, made.writable[0], to_y.stride, made.writable[1],
                        to_u.stride, made.writable[2], to_v.stride, to.width, to.height,
                        libyuv::kFilterBilinear) != 0) {
    return refused("scale", frame.size);
  }
  made.frame.range = frame.range;
  made.frame.matrix = frame.matrix;
  return made.frame;
}

}  // namespace

// It reads beyond a width that is no multiple, in the last row beyond what a picture's memory may have.
Plane ScreenPixels::with_room(const Plane& plane, int width, int height, std::size_t number) {
  const int row = row_of(width);
  std::vector<std::uint8_t>& copy = roomy_[number];
  copy.resize(static_cast<std::size_t>(row) * static_cast<std::size_t>(height));
  for (std::ptrdiff_t y = 0; y < height; ++y) {
    std::copy_n(plane.data + y * plane.stride, width, copy.data() + y * row);
  }
  return {copy.data(), row};
}

Result<std::monostate> ScreenPixels::convert_by_swscale(const VideoFrame& frame,
                                                        std::uint8_t* pixels, int stride) {
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
  std::uint8_t* const rows[] = {pixels};
  const int row[] = {stride};
  sws_scale(converter_.get(), planes, strides, 0, height, rows, row);
  return std::monostate{};
}

Result<std::monostate> ScreenPixels::convert(const VideoFrame& frame, std::uint8_t* pixels,
                                             int stride) {
  const libyuv::YuvConstants* const constants = constants_of(frame.range, frame.matrix);
  if (constants == nullptr) return convert_by_swscale(frame, pixels, stride);
  const auto& [y, u, v] = frame.planes;
  if (libyuv::I420ToARGBMatrix(y.data, y.stride, u.data, u.stride, v.data, v.stride, pixels, stride,
                               constants, frame.size.width, frame.size.height) != 0) {
    return refused("convert", frame.size);
  }
  return std::monostate{};
}

void ScreenPixels::clear() {
  frame_.reset();
  roomy_ = {};
  unscaled_ = {};
}

Result<std::monostate> ScreenPixels::draw(PictureSize to, std::uint8_t* pixels, int stride) {
  if (!frame_ || to.width < 1 || to.height < 1) return Error{"there is nothing to draw"};
  VideoFrame frame = scaler_.enlarged_for(*frame_, to);
  while (2 * to.width <= frame.size.width && 2 * to.height <= frame.size.height) {
    const PictureSize half = half_size(frame.size);
    frame = downscale_half(frame);
    frame.size = half;  // without what pads it
  }
  if (to.height < frame.size.height) {
    auto made = with_rows(frame, to.height);
    if (!made) return made.error();
    frame = *std::move(made);
  }
  const bool by_swscale = constants_of(frame.range, frame.matrix) == nullptr;
  if (frame.size == to && !by_swscale) return convert(frame, pixels, stride);
  const int row = (by_swscale ? row_of(frame.size.width) : frame.size.width) * kPixel;
  unscaled_.resize(static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.size.height));
  if (auto made = convert(frame, unscaled_.data(), row); !made) return made;
  if (libyuv::ARGBScale(unscaled_.data(), row, frame.size.width, frame.size.height, pixels, stride,
                        to.width, to.height, libyuv::kFilterBilinear) != 0) {
    return refused("scale", frame.size);
  }
  return std::monostate{};
}

}  // namespace qvid::media
