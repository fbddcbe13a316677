#include "media/codec/av1/av1_stream.h"

#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "media/codec/av1/av1_frame_bits.h"

namespace qvid::media {
namespace {

// Names of references (AV1, 6.10.24), as libaom counts them.
constexpr std::size_t kLast = 0;
constexpr std::size_t kParked = 1;  // LAST2

// Speed of libaom, 6 (best) to 10. PSNR-Y of the webcam clip at 640x400, and ms a frame on one core of
// 2.x GHz:
//     kbit/s   60     100     225        ms
//     6        38.0   41.0    44.1 dB    4.7 to 6.8
//     7        37.4   40.5    44.2       2.0 to 3.0
//     8        36.1   39.8    43.8       2.0 to 2.4
//     9        36.5   39.7    43.4       1.6 to 2.1
// Hand-held motion at 720x480 takes 28 ms with 6 and 7 to 10 ms with the others, 29.4 dB with 7 and
// 29.1 with 8. A screen of 1280x720 at 600 kbit/s: 40.0 dB with 7 and 37.4 with 9, at 6 ms each.
constexpr int kSpeedSmall = 7;
constexpr int kSpeedMiddle = 9;
constexpr int kSpeedLarge = 10;
constexpr int kSpeedDrawn = 7;
constexpr int kSmall = 720 * 576;  // pixels, at most
constexpr int kMiddle = 1280 * 720;

// Of libaom's 0 to 63: kLeastQuantiser (media/codec/layers/layer_stream.h).
constexpr unsigned kLeastOfLibaom = 8;

// Of a key frame, in mean frames: with 300 and more it came out at 5 to 6 of them, with 200 at 3.
constexpr unsigned kMostIntraPercent = 200;

// Of the rate control's buffer, how full it is to be; what is above is for what comes suddenly.
constexpr double kBufferAim = 0.6;

constexpr int kFastest = 10;

int speed_of(PictureSize size, bool drawn, Av1Effort effort) {
  if (drawn) return kSpeedDrawn;
  const int pixels = size.width * size.height;
  const int usual = pixels <= kSmall ? kSpeedSmall : pixels <= kMiddle ? kSpeedMiddle : kSpeedLarge;
  switch (effort) {
    case Av1Effort::kLight: return std::min(usual + 1, kFastest);
    case Av1Effort::kUsual: return usual;
    case Av1Effort::kBetter: return usual - 1;
  }
  return usual;
}

void set_rate_control(aom_codec_enc_cfg_t& config, DataRate bitrate,
                      const LayerStreamOptions& options) {
  const double buffer = 1000 * options.buffer_frames / options.rate.per_second();  // ms
  const auto aim = static_cast<unsigned>(std::max(1.0, std::round(buffer * kBufferAim)));
  config.rc_target_bitrate = static_cast<unsigned>(std::max(1.0, std::round(bitrate.kbps())));
  config.rc_buf_sz = static_cast<unsigned>(std::max(1.0, std::round(buffer)));
  config.rc_buf_initial_sz = aim;
  config.rc_buf_optimal_sz = aim;
}

class LibaomStream final : public Av1Stream {
 public:
  explicit LibaomStream(const LayerStreamOptions& options) : options_(options) {}
  ~LibaomStream() override {
    if (open_) aom_codec_destroy(&codec_);
  }
  LibaomStream(const LibaomStream&) = delete;
  LibaomStream& operator=(const LibaomStream&) = delete;

  std::optional<Error> open();
  Result<Av1Unit> encode(const VideoFrame& frame, const Av1PlannedFrame& planned) override;
  bool set_bitrate(DataRate bitrate) override;
  void set_effort(bool drawn, Av1Effort effort) override;

 private:
  // Settings that this libaom does not know stay at its default.
  template <class T>
  void set(int control, T value) {
    aom_codec_control(&codec_, control, value);
  }
  Error failed(const std::string& what);
  Result<Payload> one_packet();

  LayerStreamOptions options_;
  aom_codec_enc_cfg_t config_{};
  aom_codec_ctx_t codec_{};
  bool open_ = false;
  bool drawn_ = false;
  Av1Effort effort_ = Av1Effort::kUsual;
  std::int64_t pts_ = 0;  // of the next frame, in frames encoded
};

Error LibaomStream::failed(const std::string& what) {
  const char* detail = aom_codec_error_detail(&codec_);
  return {what + ": " + (detail != nullptr ? detail : aom_codec_error(&codec_))};
}

std::optional<Error> LibaomStream::open() {
  aom_codec_iface_t* const av1 = aom_codec_av1_cx();
  if (aom_codec_enc_config_default(av1, &config_, AOM_USAGE_REALTIME) != AOM_CODEC_OK) {
    return Error{"this libaom does not encode in real time"};
  }
  config_.g_w = static_cast<unsigned>(options_.size.width);
  config_.g_h = static_cast<unsigned>(options_.size.height);
  config_.g_threads = static_cast<unsigned>(options_.threads);
  config_.g_timebase = {options_.rate.denominator, options_.rate.numerator};
  config_.g_error_resilient = 0;  // see above
  config_.g_pass = AOM_RC_ONE_PASS;
  config_.g_lag_in_frames = 0;
  config_.kf_mode = AOM_KF_DISABLED;  // the plan says when
  config_.rc_end_usage = AOM_CBR;
  config_.rc_dropframe_thresh = 0;
  config_.rc_min_quantizer = kLeastOfLibaom;
  config_.rc_max_quantizer = 63;
  config_.rc_undershoot_pct = 50;
  config_.rc_overshoot_pct = 50;
  set_rate_control(config_, options_.bitrate, options_);
  if (aom_codec_enc_init(&codec_, av1, &config_, 0) != AOM_CODEC_OK) {
    return failed("libaom cannot encode " + std::to_string(options_.size.width) + "x" +
                  std::to_string(options_.size.height));
  }
  open_ = true;
  set(AOME_SET_CPUUSED, speed_of(options_.size, drawn_, effort_));
  set(AOME_SET_MAX_INTRA_BITRATE_PCT, kMostIntraPercent);
  set(AV1E_SET_AQ_MODE, 3u);  // cyclic refresh
  set(AV1E_SET_ENABLE_CDEF, 1u);
  // What costs time, or state that a receiver with frames left out would not have.
  set(AV1E_SET_ENABLE_ORDER_HINT, 0);
  set(AV1E_SET_ENABLE_REF_FRAME_MVS, 0);
  set(AV1E_SET_ENABLE_GLOBAL_MOTION, 0);
  set(AV1E_SET_ENABLE_WARPED_MOTION, 0);
  set(AV1E_SET_ENABLE_OBMC, 0);
  set(AV1E_SET_ENABLE_RESTORATION, 0u);
  set(AV1E_SET_ENABLE_TPL_MODEL, 0u);
  set(AV1E_SET_DELTAQ_MODE, 0u);
  set(AV1E_SET_ENABLE_CFL_INTRA, 0);
  set(AV1E_SET_ENABLE_SMOOTH_INTRA, 0);
  set(AV1E_SET_ENABLE_FILTER_INTRA, 0);
  set(AV1E_SET_INTRA_DEFAULT_TX_ONLY, 1);
  // How often costs of symbols are reckoned anew: once a tile (2) is as good as once a block.
  set(AV1E_SET_COEFF_COST_UPD_FREQ, 2u);
  set(AV1E_SET_MODE_COST_UPD_FREQ, 2u);
  set(AV1E_SET_MV_COST_UPD_FREQ, 2u);
  set(AV1E_SET_COLOR_RANGE,
      static_cast<int>(options_.range == ColorRange::kFull ? AOM_CR_FULL_RANGE
                                                           : AOM_CR_STUDIO_RANGE));
  set(AV1E_SET_MATRIX_COEFFICIENTS,
      static_cast<int>(options_.matrix == ColorMatrix::kBt709 ? AOM_CICP_MC_BT_709
                                                              : AOM_CICP_MC_BT_601));
  if (options_.threads > 1) {
    set(AV1E_SET_ROW_MT, 1u);
    set(AV1E_SET_TILE_COLUMNS,
        static_cast<unsigned>(std::bit_width(static_cast<unsigned>(options_.threads)) - 1));
  }
  return std::nullopt;
}

bool LibaomStream::set_bitrate(DataRate bitrate) {
  set_rate_control(config_, bitrate, options_);
  return aom_codec_enc_config_set(&codec_, &config_) == AOM_CODEC_OK;
}

void LibaomStream::set_effort(bool drawn, Av1Effort effort) {
  if (drawn == drawn_ && effort == effort_) return;
  drawn_ = drawn;
  effort_ = effort;
  set(AV1E_SET_TUNE_CONTENT, static_cast<int>(drawn ? AOM_CONTENT_SCREEN : AOM_CONTENT_DEFAULT));
  set(AV1E_SET_ENABLE_PALETTE, drawn ? 1 : 0);
  set(AOME_SET_CPUUSED, speed_of(options_.size, drawn, effort));
}

Result<Payload> LibaomStream::one_packet() {
  aom_codec_iter_t iterator = nullptr;
  std::optional<Payload> data;
  while (const aom_codec_cx_pkt_t* packet = aom_codec_get_cx_data(&codec_, &iterator)) {
    if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
    if (data) return Error{"libaom gave more than one unit for a frame"};
    const auto& coded = packet->data.frame;
    data = Payload::copy_of(std::span(static_cast<const std::byte*>(coded.buf), coded.sz));
  }
  if (!data) return Error{"libaom gave nothing for a frame"};
  return *std::move(data);
}

Result<Av1Unit> LibaomStream::encode(const VideoFrame& frame, const Av1PlannedFrame& planned) {
  aom_svc_ref_frame_config_t names{};
  aom_enc_frame_flags_t flags = 0;
  if (planned.is_sync_point()) {
    flags |= AOM_EFLAG_FORCE_KF;
    std::fill(std::begin(names.refresh), std::end(names.refresh), 1);
  } else {
    std::fill(std::begin(names.ref_idx), std::end(names.ref_idx), planned.reference->slot);
    names.ref_idx[kParked] = planned.slot;
    names.reference[kLast] = 1;
    names.refresh[planned.slot] = 1;
    if (planned.reference->frames_back != 1) flags |= AOM_EFLAG_ERROR_RESILIENT;
  }
  set(AV1E_SET_SVC_REF_FRAME_CONFIG, &names);
  aom_image_t image{};
  // libaom only reads.
  auto* const luma = const_cast<std::uint8_t*>(frame.planes[0].data);
  aom_img_wrap(&image, AOM_IMG_FMT_I420, config_.g_w, config_.g_h, 1, luma);
  for (std::size_t p = 0; p < frame.planes.size(); ++p) {
    image.planes[p] = const_cast<std::uint8_t*>(frame.planes[p].data);
    image.stride[p] = frame.planes[p].stride;
  }
  if (aom_codec_encode(&codec_, &image, pts_++, 1, flags) != AOM_CODEC_OK) {
    return failed("libaom failed to encode a frame");
  }
  auto data = one_packet();
  if (!data) return data.error();
  const auto bits = read_av1_frame_bits(data->bytes());
  if (!bits) return bits.error();
  const bool as_planned = planned.is_sync_point() ? bits->refreshed == 0xff
                                                  : bits->primary != static_cast<int>(kParked) ||
                                                        planned.slot == planned.reference->slot;
  if (!as_planned) return Error{"libaom did not code a frame as it was told to"};
  int quantiser = 0;
  aom_codec_control(&codec_, AOME_GET_LAST_QUANTIZER, &quantiser);
  return Av1Unit{.data = data->slice(bits->begins, data->size() - bits->begins),
                 .kept_in = bits->refreshed,
                 .quantiser = quantiser};
}

}  // namespace

Result<std::unique_ptr<Av1Stream>> Av1Stream::open(const LayerStreamOptions& options) {
  auto stream = std::make_unique<LibaomStream>(options);
  if (auto error = stream->open()) return *std::move(error);
  return std::unique_ptr<Av1Stream>(std::move(stream));
}

}  // namespace qvid::media
