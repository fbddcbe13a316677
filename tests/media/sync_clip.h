// A clip with flashes and beeps, and how to find both again in what a source gives.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <optional>
#include <vector>

#include "base/units.h"
#include "media/picture/ffmpeg_handles.h"
#include "media/picture/video_frame.h"
#include "media/sound/sound_block.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace qvid::media {

struct SyncClip {
  int pictures = 36;   // at 30 a second: 1.2 s
  int flash = 15;      // the picture that is white, for three of them; the beep begins with it
  double sound = 1.2;  // seconds; 0: no sound track
  AVCodecID codec = AV_CODEC_ID_FLAC;
  int rate = 44'100;
  int channels = 1;
  Duration behind{};      // sound stands so much further on in the file than its pictures
  int damaged_from = -1;  // packet of sound
};

namespace sync_clip {

inline void check(bool good) {
  if (!good) std::abort();
}

struct ClipPacket {
  AvPacketPtr packet;
  double order = 0;  // in the file
};

inline void collect(AVCodecContext& encoder, const AVStream& stream, double later,
                    std::vector<ClipPacket>& all) {
  for (;;) {
    AvPacketPtr packet = new_av_packet();
    if (avcodec_receive_packet(&encoder, packet.get()) < 0) return;
    const double time = static_cast<double>(packet->dts) * av_q2d(encoder.time_base);
    packet->stream_index = stream.index;
    packet->time_base = encoder.time_base;
    all.push_back({std::move(packet), time + later});
  }
}

inline AVStream* add_stream(AVFormatContext& out, AVCodecContext& encoder, const AVCodec* codec) {
  if ((out.oformat->flags & AVFMT_GLOBALHEADER) != 0) encoder.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  encoder.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
  check(avcodec_open2(&encoder, codec, nullptr) >= 0);
  AVStream* stream = avformat_new_stream(&out, nullptr);
  check(avcodec_parameters_from_context(stream->codecpar, &encoder) >= 0);
  stream->time_base = encoder.time_base;
  return stream;
}

inline void code_pictures(const SyncClip& clip, AVFormatContext& out, AvCodecPtr& encoder,
                          std::vector<ClipPacket>& all) {
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
  encoder.reset(avcodec_alloc_context3(codec));
  encoder->width = 64;
  encoder->height = 48;
  encoder->pix_fmt = AV_PIX_FMT_YUV420P;
  encoder->time_base = {1, 30};
  encoder->framerate = {30, 1};
  encoder->max_b_frames = 2;
  encoder->bit_rate = 2'000'000;
  AVStream* stream = add_stream(out, *encoder, codec);
  stream->avg_frame_rate = encoder->framerate;
  for (int i = 0; i < clip.pictures; ++i) {
    const AvFramePtr frame = new_av_frame();
    frame->width = 64;
    frame->height = 48;
    frame->format = AV_PIX_FMT_YUV420P;
    frame->pts = i;
    check(av_frame_get_buffer(frame.get(), 0) >= 0);
    const bool white = i >= clip.flash && i < clip.flash + 3;
    for (int p = 0; p < 3; ++p) {
      std::fill_n(frame->data[p], frame->linesize[p] * (p == 0 ? 48 : 24),
                  static_cast<std::uint8_t>(p > 0   ? 128
                                            : white ? 235
                                                    : 16));
    }
    check(avcodec_send_frame(encoder.get(), frame.get()) >= 0);
    collect(*encoder, *stream, 0, all);
  }
  avcodec_send_frame(encoder.get(), nullptr);
  collect(*encoder, *stream, 0, all);
}

// The first that the encoder takes. FFmpeg 7.1 (Debian 13) has a function for it, and warns of the
// field.
inline AVSampleFormat first_sample_format(const AVCodec& codec) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void* formats = nullptr;
  check(avcodec_get_supported_config(nullptr, &codec, AV_CODEC_CONFIG_SAMPLE_FORMAT, 0, &formats,
                                     nullptr) >= 0);
  return *static_cast<const AVSampleFormat*>(formats);
#else
  return codec.sample_fmts[0];
#endif
}

inline void code_sound(const SyncClip& clip, AVFormatContext& out, AvCodecPtr& encoder,
                       std::vector<ClipPacket>& all) {
  const AVCodec* codec = avcodec_find_encoder(clip.codec);
  encoder.reset(avcodec_alloc_context3(codec));
  encoder->sample_rate = clip.rate;
  encoder->sample_fmt = first_sample_format(*codec);
  encoder->bit_rate = 128'000;
  encoder->time_base = {1, clip.rate};
  av_channel_layout_default(&encoder->ch_layout, clip.channels);
  AVStream* stream = add_stream(out, *encoder, codec);
  const int size = encoder->frame_size > 0 ? encoder->frame_size : 1024;
  const int total = static_cast<int>(clip.sound * clip.rate);
  const double begin = clip.flash / 30.0;
  for (int at = 0; at < total; at += size) {
    const AvFramePtr frame = new_av_frame();
    frame->nb_samples = std::min(size, total - at);
    frame->format = encoder->sample_fmt;
    frame->sample_rate = clip.rate;
    frame->pts = at;
    check(av_channel_layout_copy(&frame->ch_layout, &encoder->ch_layout) >= 0);
    check(av_frame_get_buffer(frame.get(), 0) >= 0);
    const bool planar = av_sample_fmt_is_planar(encoder->sample_fmt) != 0;
    for (int i = 0; i < frame->nb_samples; ++i) {
      const double t = static_cast<double>(at + i) / clip.rate - begin;
      const double v = t >= 0 && t < 0.06 ? 0.5 * std::sin(2 * std::numbers::pi * 1000 * t) : 0;
      for (int c = 0; c < clip.channels; ++c) {
        std::uint8_t* data = frame->data[planar ? c : 0];
        const int place = planar ? i : i * clip.channels + c;
        if (av_get_bytes_per_sample(encoder->sample_fmt) == 2) {
          reinterpret_cast<std::int16_t*>(data)[place] = static_cast<std::int16_t>(v * 32767);
        } else {
          reinterpret_cast<float*>(data)[place] = static_cast<float>(v);
        }
      }
    }
    check(avcodec_send_frame(encoder.get(), frame.get()) >= 0);
    collect(*encoder, *stream, to_seconds(clip.behind), all);
  }
  avcodec_send_frame(encoder.get(), nullptr);
  collect(*encoder, *stream, to_seconds(clip.behind), all);
}

}  // namespace sync_clip

// In the container that the name asks for.
inline void write_sync_clip(const std::filesystem::path& path, const SyncClip& clip) {
  using sync_clip::check;
  AVFormatContext* out = nullptr;
  check(avformat_alloc_output_context2(&out, nullptr, nullptr, path.c_str()) >= 0);
  std::vector<sync_clip::ClipPacket> all;
  AvCodecPtr picture_encoder;
  AvCodecPtr sound_encoder;
  sync_clip::code_pictures(clip, *out, picture_encoder, all);
  if (clip.sound > 0) sync_clip::code_sound(clip, *out, sound_encoder, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.order < b.order; });
  check(avio_open(&out->pb, path.c_str(), AVIO_FLAG_WRITE) >= 0);
  check(avformat_write_header(out, nullptr) >= 0);
  int sound_packets = 0;
  for (const auto& coded : all) {
    AVPacket* packet = coded.packet.get();
    if (packet->stream_index == 1 && clip.damaged_from >= 0 &&
        sound_packets++ >= clip.damaged_from) {
      std::fill_n(packet->data, packet->size, std::uint8_t{0x55});
    }
    av_packet_rescale_ts(packet, packet->time_base, out->streams[packet->stream_index]->time_base);
    check(av_write_frame(out, packet) >= 0);
  }
  check(av_write_trailer(out) >= 0);
  avio_closep(&out->pb);
  avformat_free_context(out);
}

// Collects the instants at which flashes and beeps begin.
class SyncMarks {
 public:
  void add(const VideoFrame& frame) {
    const bool white = frame.planes[0].data[0] > 128;
    if (white && !white_) flashes.push_back(frame.captured);
    white_ = white;
  }
  void add(const SoundBlock& block) {
    if (next_ && std::chrono::abs(block.captured - *next_) > 1ms) ++gaps;
    for (std::size_t i = 0; i < block.frames(); ++i) {
      const Timestamp at = block.captured + sound_time(static_cast<std::int64_t>(i));
      const float left = std::abs(block.samples[2 * i]);
      loudest = std::max(loudest, left);
      if (std::abs(left - std::abs(block.samples[2 * i + 1])) > 0.01f) ++channels_differ;
      if (left > 0.1f) {
        if (!last_loud_ || at - *last_loud_ > 300ms) beeps.push_back(at);
        last_loud_ = at;
      }
    }
    next_ = block.captured + sound_time(static_cast<std::int64_t>(block.frames()));
  }
  std::optional<Timestamp> sound_end() const { return next_; }

  std::vector<Timestamp> flashes;
  std::vector<Timestamp> beeps;
  float loudest = 0;
  int gaps = 0;
  int channels_differ = 0;

 private:
  bool white_ = false;
  std::optional<Timestamp> last_loud_;
  std::optional<Timestamp> next_;
};

}  // namespace qvid::media
