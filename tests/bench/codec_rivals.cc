#include "tests/bench/codec_rivals.h"

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>
#include <x264.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "tests/bench/video_clip.h"

namespace qvid::media {
namespace {

// One thread, one picture out for each in.
class LibavDecoder {
 public:
  explicit LibavDecoder(AVCodecID id) : decoder_(open_decoder(id)) {}

  VideoFrame decode(const std::vector<std::byte>& coded) {
    if (av_new_packet(packet_.get(), static_cast<int>(coded.size())) < 0) fail("out of memory");
    std::memcpy(packet_->data, coded.data(), coded.size());
    avcodec_send_packet(decoder_.get(), packet_.get());
    av_packet_unref(packet_.get());
    if (avcodec_receive_frame(decoder_.get(), frame_.get()) < 0) fail("no picture from libavcodec");
    return wrap(*frame_);
  }

 private:
  Av<AVCodecContext> decoder_;
  const Av<AVPacket> packet_{av_packet_alloc()};
  const Av<AVFrame> frame_{av_frame_alloc()};
};

struct CloseX264 {
  void operator()(x264_t* x264) const { x264_encoder_close(x264); }
};

class PlainX264 final : public Rival {
 public:
  explicit PlainX264(const RivalOptions& options) {
    x264_param_t param;
    x264_param_default_preset(&param, "veryfast", "zerolatency");
    param.i_log_level = X264_LOG_NONE;
    param.i_csp = X264_CSP_I420;
    param.i_width = options.size.width;
    param.i_height = options.size.height;
    param.i_fps_num = param.i_timebase_den = static_cast<std::uint32_t>(options.rate.numerator);
    param.i_fps_den = param.i_timebase_num = static_cast<std::uint32_t>(options.rate.denominator);
    param.i_threads = 1;
    param.b_sliced_threads = 0;
    param.i_keyint_max = options.gop;
    param.rc.i_rc_method = X264_RC_ABR;
    param.rc.i_bitrate = static_cast<int>(options.bitrate.kbps());
    param.rc.i_vbv_max_bitrate = param.rc.i_bitrate;
    param.rc.i_vbv_buffer_size =
        static_cast<int>(param.rc.i_bitrate * options.buffer_frames / options.rate.per_second());
    encoder_.reset(x264_encoder_open(&param));
    if (!encoder_) fail("x264 does not open");
  }

  std::vector<std::byte> encode(const VideoFrame& frame) override {
    x264_picture_t in;
    x264_picture_t out;
    x264_picture_init(&in);
    in.i_pts = pts_++;
    in.img.i_csp = X264_CSP_I420;
    in.img.i_plane = 3;
    for (std::size_t p = 0; p < 3; ++p) {
      in.img.plane[p] = const_cast<std::uint8_t*>(frame.planes[p].data);
      in.img.i_stride[p] = frame.planes[p].stride;
    }
    x264_nal_t* nals = nullptr;
    int count = 0;
    const int size = x264_encoder_encode(encoder_.get(), &nals, &count, &in, &out);
    if (size <= 0) fail("x264 gives nothing");
    const auto bytes = std::as_bytes(std::span(nals[0].p_payload, static_cast<std::size_t>(size)));
    return {bytes.begin(), bytes.end()};
  }
  VideoFrame decode(const std::vector<std::byte>& coded) override { return decoder_.decode(coded); }

 private:
  std::unique_ptr<x264_t, CloseX264> encoder_;
  LibavDecoder decoder_{AV_CODEC_ID_H264};
  std::int64_t pts_ = 0;
};

class PlainLibaom final : public Rival {
 public:
  explicit PlainLibaom(const RivalOptions& options) : size_(options.size) {
    aom_codec_iface_t* const av1 = aom_codec_av1_cx();
    aom_codec_enc_cfg_t config{};
    if (aom_codec_enc_config_default(av1, &config, AOM_USAGE_REALTIME) != AOM_CODEC_OK) {
      fail("this libaom does not encode in real time");
    }
    config.g_w = static_cast<unsigned>(size_.width);
    config.g_h = static_cast<unsigned>(size_.height);
    config.g_threads = 1;
    config.g_timebase = {options.rate.denominator, options.rate.numerator};
    config.g_lag_in_frames = 0;
    config.kf_max_dist = static_cast<unsigned>(options.gop);
    config.rc_end_usage = AOM_CBR;
    config.rc_dropframe_thresh = 0;
    config.rc_target_bitrate = static_cast<unsigned>(options.bitrate.kbps());
    const double buffer = 1000 * options.buffer_frames / options.rate.per_second();  // ms
    config.rc_buf_sz = static_cast<unsigned>(std::round(buffer));
    config.rc_buf_initial_sz = config.rc_buf_optimal_sz =
        static_cast<unsigned>(std::round(buffer * 0.6));
    if (aom_codec_enc_init(&codec_, av1, &config, 0) != AOM_CODEC_OK) fail("libaom does not open");
    constexpr int k480p = 720 * 576;
    aom_codec_control(&codec_, AOME_SET_CPUUSED, size_.width * size_.height <= k480p ? 7 : 9);
    aom_codec_control(&codec_, AV1E_SET_AQ_MODE, 3u);
  }
  ~PlainLibaom() override { aom_codec_destroy(&codec_); }
  PlainLibaom(const PlainLibaom&) = delete;
  PlainLibaom& operator=(const PlainLibaom&) = delete;

  std::vector<std::byte> encode(const VideoFrame& frame) override {
    aom_image_t image{};
    auto* const luma = const_cast<std::uint8_t*>(frame.planes[0].data);
    aom_img_wrap(&image, AOM_IMG_FMT_I420, static_cast<unsigned>(size_.width),
                 static_cast<unsigned>(size_.height), 1, luma);
    for (std::size_t p = 0; p < 3; ++p) {
      image.planes[p] = const_cast<std::uint8_t*>(frame.planes[p].data);
      image.stride[p] = frame.planes[p].stride;
    }
    if (aom_codec_encode(&codec_, &image, pts_++, 1, 0) != AOM_CODEC_OK) fail("libaom fails");
    aom_codec_iter_t iterator = nullptr;
    while (const aom_codec_cx_pkt_t* packet = aom_codec_get_cx_data(&codec_, &iterator)) {
      if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
      const auto* const bytes = static_cast<const std::byte*>(packet->data.frame.buf);
      return {bytes, bytes + packet->data.frame.sz};
    }
    fail("libaom gives nothing");
  }
  VideoFrame decode(const std::vector<std::byte>& coded) override { return decoder_.decode(coded); }

 private:
  PictureSize size_;
  aom_codec_ctx_t codec_{};
  LibavDecoder decoder_{AV_CODEC_ID_AV1};
  std::int64_t pts_ = 0;
};

}  // namespace

std::unique_ptr<Rival> plain_x264(const RivalOptions& options) {
  return std::make_unique<PlainX264>(options);
}
std::unique_ptr<Rival> plain_libaom(const RivalOptions& options) {
  return std::make_unique<PlainLibaom>(options);
}

}  // namespace qvid::media
