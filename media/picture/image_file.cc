#include "media/picture/image_file.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <fstream>
#include <new>
#include <string>

#include "media/picture/ffmpeg_handles.h"
#include "media/picture/sws_colors.h"

namespace qvid::media {
namespace {

// Null where there is no memory for it.
AvFramePtr new_rgb_frame(PictureSize size) {
  AvFramePtr frame = new_av_frame();
  frame->width = size.width;
  frame->height = size.height;
  frame->format = AV_PIX_FMT_RGB24;
  frame->color_range = AVCOL_RANGE_JPEG;
  if (av_frame_get_buffer(frame.get(), 0) < 0) return {};
  return frame;
}

Result<std::monostate> write_file(const std::filesystem::path& path, const AVPacket& packet) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(packet.data), packet.size);
  out.close();
  if (!out) return Error{"cannot write " + path.string()};
  return std::monostate{};
}

Result<std::monostate> encode_png(const AVFrame& frame, const std::filesystem::path& path) {
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (codec == nullptr) return Error{"this libavcodec has no PNG encoder"};
  const AvCodecPtr context(avcodec_alloc_context3(codec));
  const AvPacketPtr packet = new_av_packet();
  if (!context) throw std::bad_alloc();
  context->width = frame.width;
  context->height = frame.height;
  context->pix_fmt = AV_PIX_FMT_RGB24;
  context->color_range = AVCOL_RANGE_JPEG;
  context->time_base = {1, 1};  // one picture: any will do
  context->thread_count = 1;
  if (avcodec_open2(context.get(), codec, nullptr) < 0 ||
      avcodec_send_frame(context.get(), &frame) < 0 ||
      avcodec_send_frame(context.get(), nullptr) < 0 ||
      avcodec_receive_packet(context.get(), packet.get()) < 0) {
    return Error{"the PNG encoder refuses a picture of " + std::to_string(frame.width) + "x" +
                 std::to_string(frame.height)};
  }
  return write_file(path, *packet);
}

}  // namespace

Result<std::monostate> write_png(const VideoFrame& frame, const std::filesystem::path& path) {
  const PictureSize size = frame.size;
  const AvFramePtr rgb = new_rgb_frame(size);
  const SwsPtr scaler(sws_getContext(
      size.width, size.height, AV_PIX_FMT_YUV420P, size.width, size.height, AV_PIX_FMT_RGB24,
      SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr));
  if (!rgb || !scaler) {
    return Error{"cannot convert a picture of " + std::to_string(size.width) + "x" +
                 std::to_string(size.height)};
  }
  set_colors(*scaler, frame.range, frame.matrix);

  const std::uint8_t* planes[] = {frame.planes[0].data, frame.planes[1].data, frame.planes[2].data};
  const int strides[] = {frame.planes[0].stride, frame.planes[1].stride, frame.planes[2].stride};
  sws_scale(scaler.get(), planes, strides, 0, size.height, rgb->data, rgb->linesize);
  return encode_png(*rgb, path);
}

Result<std::monostate> write_png_rgb(PictureSize size, std::ptrdiff_t stride,
                                     const std::uint8_t* rgb24, const std::filesystem::path& path) {
  const AvFramePtr rgb = new_rgb_frame(size);
  if (!rgb) {
    return Error{"cannot write a picture of " + std::to_string(size.width) + "x" +
                 std::to_string(size.height)};
  }
  for (int y = 0; y < size.height; ++y) {
    std::copy_n(rgb24 + y * stride, 3 * static_cast<std::ptrdiff_t>(size.width),
                rgb->data[0] + static_cast<std::ptrdiff_t>(y) * rgb->linesize[0]);
  }
  return encode_png(*rgb, path);
}

}  // namespace qvid::media
