#include "media/picture/frame_scaler.h"

extern "C" {
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "media/picture/downscale.h"

namespace qvid::media {
namespace {

constexpr double kFarLarger = 1.5;
constexpr int kMostDoubled = 640 * 480;  // pixels, in each of which it takes 2 ns

int even_side(int side, double scale) {
  return std::clamp(static_cast<int>(std::lround(side * scale / 2)) * 2, kMinSide, side);
}

}  // namespace

PictureSize scaled_size(PictureSize size, double scale) {
  const double least = static_cast<double>(kMinSide) / std::min(size.width, size.height);
  scale = std::max(scale, least);
  if (scale >= 1) return size;
  return {even_side(size.width, scale), even_side(size.height, scale)};
}

Result<VideoFrame> FrameScaler::scale(const VideoFrame& frame, PictureSize to) {
  VideoFrame scaled = frame;
  if (frame.size == to) return scaled;
  if (half_size(frame.size) == to && even_size(to) == to) {
    scaled = downscale_half(frame);
  } else {
    if (!scaler_ || from_ != frame.size || to_ != to) {
      const bool larger = to.width >= frame.size.width && to.height >= frame.size.height;
      // Both sides have the same range and matrix, so that neither matters here.
      scaler_.reset(sws_getContext(frame.size.width, frame.size.height, AV_PIX_FMT_YUV420P,
                                   to.width, to.height, AV_PIX_FMT_YUV420P,
                                   (larger ? SWS_BICUBIC : SWS_BILINEAR) | SWS_ACCURATE_RND,
                                   nullptr, nullptr, nullptr));
      if (!scaler_) {
        return Error{"cannot scale a picture to " + std::to_string(to.width) + "x" +
                     std::to_string(to.height)};
      }
      from_ = frame.size;
      to_ = to;
    }
    // Room for swscale, which wants rows aligned and writes a little past a picture's width.
    AvFramePtr planes = new_av_frame();
    planes->format = AV_PIX_FMT_YUV420P;
    planes->width = to.width;
    planes->height = to.height;
    if (av_frame_get_buffer(planes.get(), 0) < 0) throw std::bad_alloc();
    const std::uint8_t* source[4] = {};
    int strides[4] = {};
    for (std::size_t p = 0; p < frame.planes.size(); ++p) {
      source[p] = frame.planes[p].data;
      strides[p] = frame.planes[p].stride;
    }
    sws_scale(scaler_.get(), source, strides, 0, frame.size.height, planes->data, planes->linesize);
    scaled.size = to;
    for (std::size_t p = 0; p < scaled.planes.size(); ++p) {
      scaled.planes[p] = {planes->data[p], planes->linesize[p]};
    }
    scaled.owner = std::shared_ptr<AVFrame>(std::move(planes));
  }
  scaled.range = frame.range;
  scaled.matrix = frame.matrix;
  scaled.captured = frame.captured;
  return scaled;
}

VideoFrame FrameScaler::enlarged_for(const VideoFrame& frame, PictureSize shown) {
  const PictureSize doubled{2 * frame.size.width, 2 * frame.size.height};
  const bool far = shown.width >= kFarLarger * frame.size.width &&
                   shown.height >= kFarLarger * frame.size.height;
  if (!far || frame.size.width * frame.size.height > kMostDoubled || !is_supported(doubled)) {
    return frame;
  }
  Result<VideoFrame> made = scale(frame, doubled);
  return made ? *std::move(made) : frame;
}

}  // namespace qvid::media
