#include "media/picture/ffmpeg_handles.h"

#include <new>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

namespace qvid::media {

void FfmpegDeleter::operator()(AVCodecContext* decoder) const { avcodec_free_context(&decoder); }
void FfmpegDeleter::operator()(AVFormatContext* input) const { avformat_close_input(&input); }
void FfmpegDeleter::operator()(AVFrame* frame) const { av_frame_free(&frame); }
void FfmpegDeleter::operator()(AVPacket* packet) const { av_packet_free(&packet); }
void FfmpegDeleter::operator()(SwrContext* resampler) const { swr_free(&resampler); }
void FfmpegDeleter::operator()(SwsContext* scaler) const { sws_freeContext(scaler); }

void FfmpegOutputDeleter::operator()(AVFormatContext* output) const {
  avio_closep(&output->pb);
  avformat_free_context(output);
}

AvFramePtr new_av_frame() {
  AvFramePtr frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

AvPacketPtr new_av_packet() {
  AvPacketPtr packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

}  // namespace qvid::media
