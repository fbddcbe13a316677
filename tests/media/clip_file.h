// Video files for tests: each picture is of one grey that tells its number.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"
#include "tests/temporary_folder.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace qvid::media {

// Neighbours are seven apart, so that an error of three is still told from one frame.
inline int grey_of(int picture) { return 40 + picture * 7 % 150; }

struct ClipFile {
  PictureSize size{64, 48};
  int pictures = 90;
  int rate = 30;  // in the file's words
  int gop = 40;
  // When picture i is shown, in 1/1000 s; empty: at the rate.
  std::function<std::int64_t(int)> shown_at{};
};

// MPEG-4 with two B frames between others, in the container that the name asks for.
inline void write_clip(const std::filesystem::path& path, const ClipFile& clip) {
  const auto check = [](bool good) {
    if (!good) std::abort();
  };
  AVFormatContext* out = nullptr;
  check(avformat_alloc_output_context2(&out, nullptr, nullptr, path.c_str()) >= 0);
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
  const AvCodecPtr encoder(avcodec_alloc_context3(codec));
  encoder->width = clip.size.width;
  encoder->height = clip.size.height;
  encoder->pix_fmt = AV_PIX_FMT_YUV420P;
  encoder->time_base = clip.shown_at ? AVRational{1, 1000} : AVRational{1, clip.rate};
  encoder->framerate = {clip.rate, 1};
  encoder->gop_size = clip.gop;
  encoder->max_b_frames = 2;
  encoder->bit_rate = 20'000'000;
  encoder->qmax = 2;
  if ((out->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
    encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  }
  check(avcodec_open2(encoder.get(), codec, nullptr) >= 0);
  AVStream* stream = avformat_new_stream(out, nullptr);
  check(avcodec_parameters_from_context(stream->codecpar, encoder.get()) >= 0);
  stream->time_base = encoder->time_base;
  stream->avg_frame_rate = encoder->framerate;
  check(avio_open(&out->pb, path.c_str(), AVIO_FLAG_WRITE) >= 0);
  check(avformat_write_header(out, nullptr) >= 0);

  const AvPacketPtr packet = new_av_packet();
  const auto drain = [&] {
    while (avcodec_receive_packet(encoder.get(), packet.get()) == 0) {
      packet->stream_index = 0;
      av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
      check(av_interleaved_write_frame(out, packet.get()) >= 0);
    }
  };
  for (int i = 0; i < clip.pictures; ++i) {
    const AvFramePtr frame = new_av_frame();
    frame->width = clip.size.width;
    frame->height = clip.size.height;
    frame->format = AV_PIX_FMT_YUV420P;
    frame->pts = clip.shown_at ? clip.shown_at(i) : i;
    check(av_frame_get_buffer(frame.get(), 0) >= 0);
    for (int p = 0; p < 3; ++p) {
      const int rows = p == 0 ? clip.size.height : clip.size.height / 2;
      std::memset(frame->data[p], p == 0 ? grey_of(i) : 128,
                  static_cast<std::size_t>(frame->linesize[p]) * static_cast<std::size_t>(rows));
    }
    check(avcodec_send_frame(encoder.get(), frame.get()) >= 0);
    drain();
  }
  avcodec_send_frame(encoder.get(), nullptr);
  drain();
  check(av_write_trailer(out) >= 0);
  avio_closep(&out->pb);
  avformat_free_context(out);
}

}  // namespace qvid::media
