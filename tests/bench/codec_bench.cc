// codec_bench [--clip FILE...]: what our codecs cost beside plain x264 and libavcodec.
//
// Each as it is sent to one viewer, whose losses are all told (set_base_needed, set_droppable_frames),
// and `h264` also as it is sent to viewers that differ: two layers in three temporal classes. The rival
// is one layer by x264 with the rate control, bitrate and group of pictures of `h264`, preset
// veryfast, in the same process, in turns with ours; times are medians over the rounds. What each
// takes for the same quality over a range of rates is its BD-rate. Pictures: a textured scene that
// moves, drawn in memory, and the clips given.
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}
#include <x264.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "media/codec/codec.h"
#include "media/codec/decoder.h"
#include "media/codec/encoder.h"
#include "media/picture/downscale.h"
#include "media/picture/frame_scaler.h"
#include "tests/bench/bd_rate.h"
#include "tests/bench/scene.h"
#include "tests/bench/ssim.h"
#include "tests/media/psnr.h"

namespace {

using namespace qvid;
using namespace qvid::media;

constexpr int kFrames = 90;
constexpr int kRounds = 5;
constexpr int kGop = 60;
constexpr double kBitsPerPixel = 0.1;  // what calls use: 2.8 Mbit/s for 720p at 30 frames/s
// Of that rate, those whose qualities make the BD-rate.
constexpr std::array kPartsOfRate = {0.15, 0.3, 0.6, 1.0};
constexpr FrameRate kRate{30, 1};

// A codec, and for whom.
struct Ours {
  std::string name;
  std::string codec;
  bool viewers_differ = false;
};
const std::vector<Ours> kOurs = {{.name = "h264", .codec = "h264"},
                                 {.name = "h264, L and H", .codec = "h264", .viewers_differ = true},
                                 {.name = "av1", .codec = "av1"}};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "codec_bench: %s\n", what.c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> result) {
  if (!result) fail(result.error().message);
  return *std::move(result);
}

struct FreeAv {
  void operator()(AVFormatContext* f) const { avformat_close_input(&f); }
  void operator()(AVCodecContext* c) const { avcodec_free_context(&c); }
  void operator()(AVFrame* f) const { av_frame_free(&f); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
};
template <class T>
using Av = std::unique_ptr<T, FreeAv>;

VideoFrame wrap(const AVFrame& source) {
  std::shared_ptr<AVFrame> kept(av_frame_clone(&source), FreeAv());
  VideoFrame frame;
  frame.size = {kept->width, kept->height};
  for (std::size_t p = 0; p < 3; ++p) frame.planes[p] = {kept->data[p], kept->linesize[p]};
  frame.owner = std::move(kept);
  return frame;
}

Av<AVCodecContext> open_decoder(const AVCodecParameters* parameters) {
  const AVCodec* codec =
      avcodec_find_decoder(parameters != nullptr ? parameters->codec_id : AV_CODEC_ID_H264);
  Av<AVCodecContext> context(avcodec_alloc_context3(codec));
  if (parameters != nullptr) avcodec_parameters_to_context(context.get(), parameters);
  context->thread_count = 1;
  if (parameters == nullptr) context->flags |= AV_CODEC_FLAG_LOW_DELAY;
  if (avcodec_open2(context.get(), codec, nullptr) < 0) fail("cannot open a decoder");
  return context;
}

Video load_clip(const std::string& path) {
  AVFormatContext* opened = nullptr;
  if (avformat_open_input(&opened, path.c_str(), nullptr, nullptr) < 0) fail("no clip " + path);
  const Av<AVFormatContext> format(opened);
  if (avformat_find_stream_info(opened, nullptr) < 0) fail("no streams in " + path);
  const int stream = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (stream < 0) fail("no video in " + path);
  const auto decoder = open_decoder(opened->streams[stream]->codecpar);
  const Av<AVPacket> packet(av_packet_alloc());
  const Av<AVFrame> frame(av_frame_alloc());
  Video video;
  while (video.size() < kFrames && av_read_frame(opened, packet.get()) >= 0) {
    if (packet->stream_index == stream) avcodec_send_packet(decoder.get(), packet.get());
    av_packet_unref(packet.get());
    while (video.size() < kFrames && avcodec_receive_frame(decoder.get(), frame.get()) >= 0) {
      if (frame->format != AV_PIX_FMT_YUV420P) fail(path + " is not 8-bit 4:2:0");
      video.push_back(wrap(*frame));
    }
  }
  if (video.empty()) fail("no frames in " + path);
  return video;
}

// One round of one codec over the video. Times are per frame.
struct Outcome {
  double encode_ms = 0;
  double decode_ms = 0;
  double kbps = 0;
  double psnr = 0;
  double ssim = 0;
  double low_kbps = 0;  // of two layers: L alone
  double low_psnr = 0;
};

DataRate target(PictureSize size) {
  return DataRate::from_bps(
      static_cast<std::int64_t>(size.width * size.height * kBitsPerPixel * kRate.per_second()));
}

double kbps(double bytes, std::size_t frames) {
  return bytes * 8 / static_cast<double>(frames) * kRate.per_second() / 1000;
}

Outcome run_ours(const Ours& ours, const Video& video, DataRate rate, bool with_quality) {
  EncoderOptions options;
  options.size = video.front().size;
  options.rate = kRate;
  options.bitrate = rate;
  options.gop = kGop;
  const auto encoder = need(make_encoder(ours.codec, options));
  encoder->set_base_needed(ours.viewers_differ);
  encoder->set_droppable_frames(ours.viewers_differ);
  const auto decoder = need(make_decoder(ours.codec));
  const auto low_decoder = need(make_decoder(ours.codec));
  FrameScaler scaler;
  const auto count = static_cast<double>(video.size());
  Outcome o;
  double bytes = 0;
  double low_bytes = 0;
  for (std::size_t n = 0; n < video.size(); ++n) {
    const Timestamp start = steady_now();
    const auto coded = need(encoder->encode(video[n], FrameNumber(static_cast<std::int64_t>(n))));
    const Timestamp encoded = steady_now();
    const auto shown = need(decoder->decode({coded.number, coded.header, coded.units}));
    const Timestamp decoded = steady_now();
    if (!shown) fail("a whole frame gives no picture");
    o.encode_ms += to_ms(encoded - start) / count;
    o.decode_ms += to_ms(decoded - encoded) / count;
    bytes += static_cast<double>(coded.header.size());
    for (const CodedUnit& unit : coded.units) bytes += static_cast<double>(unit.data.size());
    if (!with_quality) continue;
    // As a player shows it.
    const VideoFrame picture = need(scaler.scale(shown->picture, options.size));
    o.psnr += psnr(video[n], picture) / count;
    o.ssim += ssim(video[n], picture) / count;
    if (coded.units.size() == 1) continue;
    low_bytes += static_cast<double>(coded.units[0].data.size());
    const auto low = need(low_decoder->decode({coded.number, coded.header, {coded.units[0]}}));
    if (!low) fail("a low layer gives no picture");
    o.low_psnr += psnr(downscale_half(video[n]), low->picture) / count;
  }
  o.kbps = kbps(bytes, video.size());
  o.low_kbps = kbps(low_bytes, video.size());
  return o;
}

Outcome run_rival(const Video& video, DataRate rate, bool with_quality) {
  x264_param_t param;
  x264_param_default_preset(&param, "veryfast", "zerolatency");
  param.i_log_level = X264_LOG_NONE;
  param.i_csp = X264_CSP_I420;
  param.i_width = video.front().size.width;
  param.i_height = video.front().size.height;
  param.i_fps_num = param.i_timebase_den = static_cast<std::uint32_t>(kRate.numerator);
  param.i_fps_den = param.i_timebase_num = static_cast<std::uint32_t>(kRate.denominator);
  param.i_threads = 1;
  param.b_sliced_threads = 0;
  param.i_keyint_max = kGop;
  param.rc.i_rc_method = X264_RC_ABR;
  param.rc.i_bitrate = static_cast<int>(rate.kbps());
  param.rc.i_vbv_max_bitrate = param.rc.i_bitrate;
  param.rc.i_vbv_buffer_size =
      static_cast<int>(param.rc.i_bitrate * EncoderOptions().buffer_frames / kRate.per_second());
  const std::unique_ptr<x264_t, decltype(&x264_encoder_close)> encoder(x264_encoder_open(&param),
                                                                       &x264_encoder_close);
  if (!encoder) fail("x264 does not open");
  const auto decoder = open_decoder(nullptr);
  const Av<AVPacket> packet(av_packet_alloc());
  const Av<AVFrame> frame(av_frame_alloc());
  const auto count = static_cast<double>(video.size());
  Outcome o;
  double bytes = 0;
  for (std::size_t n = 0; n < video.size(); ++n) {
    const Timestamp start = steady_now();
    x264_picture_t in;
    x264_picture_t out;
    x264_picture_init(&in);
    in.i_pts = static_cast<std::int64_t>(n);
    in.img.i_csp = X264_CSP_I420;
    in.img.i_plane = 3;
    for (std::size_t p = 0; p < 3; ++p) {
      in.img.plane[p] = const_cast<std::uint8_t*>(video[n].planes[p].data);
      in.img.i_stride[p] = video[n].planes[p].stride;
    }
    x264_nal_t* nals = nullptr;
    int nal_count = 0;
    const int size = x264_encoder_encode(encoder.get(), &nals, &nal_count, &in, &out);
    if (size <= 0) fail("x264 gives nothing");
    const Timestamp encoded = steady_now();
    if (av_new_packet(packet.get(), size) < 0) fail("out of memory");
    std::memcpy(packet->data, nals[0].p_payload, static_cast<std::size_t>(size));
    avcodec_send_packet(decoder.get(), packet.get());
    av_packet_unref(packet.get());
    if (avcodec_receive_frame(decoder.get(), frame.get()) < 0) fail("no picture from libavcodec");
    const Timestamp decoded = steady_now();
    o.encode_ms += to_ms(encoded - start) / count;
    o.decode_ms += to_ms(decoded - encoded) / count;
    bytes += size;
    if (!with_quality) continue;
    const VideoFrame picture = wrap(*frame);
    o.psnr += psnr(video[n], picture) / count;
    o.ssim += ssim(video[n], picture) / count;
  }
  o.kbps = kbps(bytes, video.size());
  return o;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Times are the medians of the rounds; the rest is the same in each.
Outcome summary(const std::vector<Outcome>& rounds) {
  Outcome o = rounds.front();
  std::vector<double> encode;
  std::vector<double> decode;
  for (const Outcome& r : rounds) {
    encode.push_back(r.encode_ms);
    decode.push_back(r.decode_ms);
  }
  o.encode_ms = median(encode);
  o.decode_ms = median(decode);
  return o;
}

void print_row(const std::string& name, const Outcome& o) {
  std::printf("  %-18s %9.2f %9.2f %9.0f %9.2f %9.4f", name.c_str(), o.encode_ms, o.decode_ms,
              o.kbps, o.psnr, o.ssim);
  if (o.low_kbps > 0)
    std::printf("   (L: %.0f kbit/s, %.2f dB at its size)", o.low_kbps, o.low_psnr);
  std::printf("\n");
}

// Of the rounds at the whole rate, in turns.
void compare_times(const Video& video) {
  const DataRate rate = target(video.front().size);
  std::vector<std::vector<Outcome>> ours(kOurs.size());
  std::vector<Outcome> rival;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t c = 0; c < kOurs.size(); ++c) {
      ours[c].push_back(run_ours(kOurs[c], video, rate, round == 0));
    }
    rival.push_back(run_rival(video, rate, round == 0));
  }
  std::printf("  %-18s %9s %9s %9s %9s %9s\n", "", "encode ms", "decode ms", "kbit/s", "PSNR-Y",
              "SSIM");
  for (std::size_t c = 0; c < kOurs.size(); ++c) print_row(kOurs[c].name, summary(ours[c]));
  print_row("x264, one layer", summary(rival));
}

// What each takes for the same quality.
void compare_rates(const Video& video) {
  struct Curves {
    std::vector<RatePoint> by_psnr;
    std::vector<RatePoint> by_ssim;
    void add(const Outcome& o) {
      by_psnr.push_back({.rate = o.kbps, .quality = o.psnr});
      by_ssim.push_back({.rate = o.kbps, .quality = o.ssim});
    }
  };
  const auto curves_of = [&](auto run) {
    Curves curves;
    for (const double part : kPartsOfRate) curves.add(run(target(video.front().size) * part));
    return curves;
  };
  const Curves rival = curves_of([&](DataRate rate) { return run_rival(video, rate, true); });
  const auto print = [](const char* by, std::optional<double> percent) {
    if (percent) {
      std::printf("  %+.0f%% by %s", *percent, by);
    } else {
      std::printf("  not comparable by %s", by);
    }
  };
  for (const Ours& ours : kOurs) {
    const Curves curves =
        curves_of([&](DataRate rate) { return run_ours(ours, video, rate, true); });
    std::printf("  rate of %s over x264's at equal quality:", ours.name.c_str());
    print("PSNR-Y", bd_rate(curves.by_psnr, rival.by_psnr));
    print("SSIM", bd_rate(curves.by_ssim, rival.by_ssim));
    std::printf("\n");
  }
}

void compare(const std::string& name, const Video& video) {
  std::printf("%s, %dx%d, %zu frames, %.0f kbit/s wanted\n", name.c_str(), video.front().size.width,
              video.front().size.height, video.size(), target(video.front().size).kbps());
  compare_times(video);
  compare_rates(video);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> clips;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) != "--clip") clips.emplace_back(argv[i]);
    if (argv[i][0] == '-' && std::string(argv[i]) != "--clip") {
      fail("usage: codec_bench [--clip FILE...]");
    }
  }
  compare("synthetic", draw_scene({640, 480}, kFrames));
  compare("synthetic", draw_scene({1280, 720}, kFrames));
  for (const std::string& clip : clips) compare(clip, load_clip(clip));
  return 0;
}
