// A recording as any player has it: FFmpeg's demuxer and its H.264 decoder, to which every oddity
// of the stream is an error.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <cmath>
#include <cstddef>
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
  struct Sound {
    double time = 0;  // seconds, as the demuxer has it
    double lasts = 0;
    std::vector<std::byte> opus;
  };
  bool has_sound = false;
  std::vector<Sound> sound;   // packets
  std::vector<double> beeps;  // when what is decoded becomes loud, seconds
  int packets = 0;
  int errors = 0;
};

// The packets of sound in `in`, which is read once more for it, and where a beep begins in them: by
// FFmpeg's own decoder, times by its clock.
inline void open_recorded_sound(const AVFormatContext& all, const std::filesystem::path& path,
                                RecordedVideo& video) {
  if (all.streams[1]->codecpar->codec_id != AV_CODEC_ID_OPUS) return;
  video.has_sound = true;
  AVFormatContext* in = nullptr;
  if (avformat_open_input(&in, path.c_str(), nullptr, nullptr) < 0) return;
  if (avformat_find_stream_info(in, nullptr) < 0) ++video.errors;
  const double unit = av_q2d(in->streams[1]->time_base);
  AVCodecContext* context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_OPUS));
  avcodec_parameters_to_context(context, in->streams[1]->codecpar);
  context->pkt_timebase = in->streams[1]->time_base;
  if (avcodec_open2(context, nullptr, nullptr) < 0) ++video.errors;
  AVPacket* packet = av_packet_alloc();
  AVFrame* frame = av_frame_alloc();
  double last_loud = -1;
  while (av_read_frame(in, packet) >= 0) {
    if (packet->stream_index == 1) {
      const auto* data = reinterpret_cast<const std::byte*>(packet->data);
      video.sound.push_back({static_cast<double>(packet->pts) * unit,
                             static_cast<double>(packet->duration) * unit,
                             {data, data + packet->size}});
      if (avcodec_send_packet(context, packet) < 0) ++video.errors;
      while (avcodec_receive_frame(context, frame) >= 0) {
        for (int i = 0; i < frame->nb_samples; ++i) {
          const float sample = reinterpret_cast<const float*>(frame->data[0])[i];
          const double at = static_cast<double>(frame->pts) * unit + i / 48'000.0;
          if (std::abs(sample) < 0.1f) continue;
          if (last_loud < 0 || at - last_loud > 0.3) video.beeps.push_back(at);
          last_loud = at;
        }
        av_frame_unref(frame);
      }
    }
    av_packet_unref(packet);
  }
  av_packet_free(&packet);
  av_frame_free(&frame);
  avcodec_free_context(&context);
  avformat_close_input(&in);
}

inline RecordedVideo open_recording(const std::filesystem::path& path) {
  RecordedVideo video;
  AVFormatContext* in = nullptr;
  if (avformat_open_input(&in, path.c_str(), nullptr, nullptr) < 0) return video;
  const auto close_input = [](AVFormatContext* c) { avformat_close_input(&c); };
  const std::unique_ptr<AVFormatContext, decltype(close_input)> input(in, close_input);
  if (avformat_find_stream_info(in, nullptr) < 0 || in->nb_streams > 2) return video;
  if (in->nb_streams == 2) open_recorded_sound(*in, path, video);
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
    if (packet->stream_index != 0) {
      av_packet_unref(packet);
      continue;
    }
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
