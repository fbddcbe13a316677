// Owners of FFmpeg's objects. Private to media; needs no FFmpeg header.
#pragma once

#include <memory>

struct AVCodecContext;
struct AVFormatContext;
struct AVFrame;
struct AVPacket;
struct SwrContext;
struct SwsContext;

namespace qvid::media {

struct FfmpegDeleter {
  void operator()(AVCodecContext* decoder) const;
  void operator()(AVFormatContext* input) const;  // one that avformat_open_input has opened
  void operator()(AVFrame* frame) const;
  void operator()(AVPacket* packet) const;
  void operator()(SwrContext* resampler) const;
  void operator()(SwsContext* scaler) const;
};

// Closes its file too, if it has one.
struct FfmpegOutputDeleter {
  void operator()(AVFormatContext* output) const;
};

using AvCodecPtr = std::unique_ptr<AVCodecContext, FfmpegDeleter>;
using AvInputPtr = std::unique_ptr<AVFormatContext, FfmpegDeleter>;
using AvOutputPtr = std::unique_ptr<AVFormatContext, FfmpegOutputDeleter>;
using AvFramePtr = std::unique_ptr<AVFrame, FfmpegDeleter>;
using AvPacketPtr = std::unique_ptr<AVPacket, FfmpegDeleter>;
using SwrPtr = std::unique_ptr<SwrContext, FfmpegDeleter>;
using SwsPtr = std::unique_ptr<SwsContext, FfmpegDeleter>;

// Throw std::bad_alloc where there is no memory.
AvFramePtr new_av_frame();
AvPacketPtr new_av_packet();

}  // namespace qvid::media
