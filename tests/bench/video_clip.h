// Videos from files, and libavcodec's decoders, for benchmarks. What goes wrong ends the program.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "media/picture/video_frame.h"
#include "tests/bench/scene.h"

namespace qvid::media {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "codec_bench: %s\n", what.c_str());
  std::exit(1);
}

struct FreeAv {
  void operator()(AVFormatContext* f) const { avformat_close_input(&f); }
  void operator()(AVCodecContext* c) const { avcodec_free_context(&c); }
  void operator()(AVFrame* f) const { av_frame_free(&f); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
};
template <class T>
using Av = std::unique_ptr<T, FreeAv>;

inline VideoFrame wrap(const AVFrame& source) {
  std::shared_ptr<AVFrame> kept(av_frame_clone(&source), FreeAv());
  VideoFrame frame;
  frame.size = {kept->width, kept->height};
  for (std::size_t p = 0; p < 3; ++p) frame.planes[p] = {kept->data[p], kept->linesize[p]};
  frame.owner = std::move(kept);
  return frame;
}

// `parameters`: of a file's stream; null: of what an encoder gives.
inline Av<AVCodecContext> open_decoder(AVCodecID id,
                                       const AVCodecParameters* parameters = nullptr) {
  const AVCodec* codec = avcodec_find_decoder(id);
  if (codec == nullptr) fail("libavcodec lacks a decoder");
  Av<AVCodecContext> context(avcodec_alloc_context3(codec));
  if (parameters != nullptr) avcodec_parameters_to_context(context.get(), parameters);
  context->thread_count = 1;
  if (parameters == nullptr) context->flags |= AV_CODEC_FLAG_LOW_DELAY;
  if (avcodec_open2(context.get(), codec, nullptr) < 0) fail("cannot open a decoder");
  return context;
}

// At most the first `frames` of it.
inline Video load_clip(const std::string& path, std::size_t frames) {
  AVFormatContext* opened = nullptr;
  if (avformat_open_input(&opened, path.c_str(), nullptr, nullptr) < 0) fail("no clip " + path);
  const Av<AVFormatContext> format(opened);
  if (avformat_find_stream_info(opened, nullptr) < 0) fail("no streams in " + path);
  const int stream = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (stream < 0) fail("no video in " + path);
  const auto decoder =
      open_decoder(opened->streams[stream]->codecpar->codec_id, opened->streams[stream]->codecpar);
  const Av<AVPacket> packet(av_packet_alloc());
  const Av<AVFrame> frame(av_frame_alloc());
  Video video;
  while (video.size() < frames && av_read_frame(opened, packet.get()) >= 0) {
    if (packet->stream_index == stream) avcodec_send_packet(decoder.get(), packet.get());
    av_packet_unref(packet.get());
    while (video.size() < frames && avcodec_receive_frame(decoder.get(), frame.get()) >= 0) {
      if (frame->format != AV_PIX_FMT_YUV420P) fail(path + " is not 8-bit 4:2:0");
      video.push_back(wrap(*frame));
    }
  }
  if (video.empty()) fail("no frames in " + path);
  return video;
}

}  // namespace qvid::media
