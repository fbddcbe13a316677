#include "media/picture/screen_pixels.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <string>

namespace qvid::media {

Result<std::monostate> ScreenPixels::convert(const VideoFrame& frame, std::uint8_t* pixels,
                                             int stride) {
  if (!converter_ || size_ != frame.size || range_ != frame.range || matrix_ != frame.matrix) {
    const auto [width, height] = frame.size;
    converter_.reset(sws_getContext(width, height, AV_PIX_FMT_YUV420P, width, height,
                                    AV_PIX_FMT_BGR0, SWS_BILINEAR, nullptr, nullptr, nullptr));
    if (!converter_) {
      return Error{"cannot convert a picture of " + std::to_string(width) + "x" +
                   std::to_string(height)};
    }
    size_ = frame.size;
    range_ = frame.range;
    matrix_ = frame.matrix;
    const int* matrix =
        sws_getCoefficients(matrix_ == ColorMatrix::kBt709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
    const int full = range_ == ColorRange::kFull ? 1 : 0;
    constexpr int kUnity = 1 << 16;  // contrast and saturation, in swscale's fixed point
    sws_setColorspaceDetails(converter_.get(), matrix, full, matrix, 1, 0, kUnity, kUnity);
  }
  const std::uint8_t* planes[] = {frame.planes[0].data, frame.planes[1].data, frame.planes[2].data};
  const int strides[] = {frame.planes[0].stride, frame.planes[1].stride, frame.planes[2].stride};
  std::uint8_t* const rows[] = {pixels};
  const int row[] = {stride};
  sws_scale(converter_.get(), planes, strides, 0, frame.size.height, rows, row);
  return std::monostate{};
}

}  // namespace qvid::media
