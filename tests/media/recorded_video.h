// A recording as any player has it: FFmpeg's demuxer and its H.264 decoder, to which every oddity
// of the stream is an error.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/media/h264_video.h"

namespace qvid::media {

struct RecordedVideo {
  bool opened = false;
  std::string format;
  PictureSize size;
  std::vector<double> times;            // of pictures as decoded, seconds
  std::vector<std::uint64_t> pictures;  // hashes
  int packets = 0;
  int errors = 0;
};

inline RecordedVideo open_recording(const std::filesystem::path& path) {
  RecordedVideo video;
  AVFormatContext* in = nullptr;
  if (avformat_open_input(&in, path.c_str(), nullptr, nullptr) < 0) return video;
  const auto close_input = [](AVFormatContext* c) { avformat_close_input(&c); };
  const std::unique_ptr<AVFormatContext, decltype(close_input)> input(in, close_input);
  if (avformat_find_stream_info(in, nullptr) < 0 || in->nb_streams != 1) return video;
  const AVCodecParameters& parameters = *in->streams[0]->codecpar;
  if (parameters.codec_id != AV_CODEC_ID_H264) return video;
  video.format = in->iformat->name;
  video.size = {parameters.width, parameters.height};
  AVCodecContext* context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
  const auto close_codec = [](AVCodecContext* c) { avcodec_free_context(&c); };
  const std::unique_ptr<AVCodecContext, decltype(close_codec)> decoder(context, close_codec);
  avcodec_parameters_to_context(context, &parameters);
  context->thread_count = 1;
  context->err_recognition = AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE;
  if (avcodec_open2(context, nullptr, nullptr) < 0) return video;
  video.opened = true;
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  const auto take = [&] {
    while (avcodec_receive_frame(context, frame) >= 0) {
      if (frame->decode_error_flags != 0 || (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0) {
        ++video.errors;
      }
      VideoFrame picture;
      picture.size = {frame->width, frame->height};
      for (std::size_t p = 0; p < 3; ++p) picture.planes[p] = {frame->data[p], frame->linesize[p]};
      video.pictures.push_back(hash(picture));
      video.times.push_back(static_cast<double>(frame->pts) * av_q2d(in->streams[0]->time_base));
      av_frame_unref(frame);
    }
  };
  while (av_read_frame(in, packet) >= 0) {
    ++video.packets;
    if (avcodec_send_packet(context, packet) < 0) ++video.errors;
    av_packet_unref(packet);
    take();
  }
  avcodec_send_packet(context, nullptr);
  take();
  av_packet_free(&packet);
  av_frame_free(&frame);
  return video;
}

}  // namespace qvid::media
