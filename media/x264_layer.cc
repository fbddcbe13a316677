#include "media/x264_layer.h"

#include <x264.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace qvid::media {
namespace {

constexpr int kPattern = 4;
// The T0 before this one is four frames back, and x264 keeps every P frame: the window must hold
// it.
constexpr int kReferences = 4;

// Added to the quantiser by class T0, T1, T2. Bitrate over a single class without references but
// the last frame, at equal mean PSNR-Y (webcam, hand-held motion, scrolling screen):
//     0 0 0   +25%  +21%  +93%        0 4 6   +4%  +14%  +54%
//     0 2 4    +9%  +15%  +66%        0 6 9   +1%  +15%  +42%
// More wins nothing on motion and makes the quality beat with the pattern: T2 lies under T0 by 2.3
// dB with 6 there, by 3.5 dB with 9.
constexpr std::array<float, 3> kQuantiserOffset = {0.0F, 4.0F, 6.0F};

// Buffer of the rate control, in frames at the target rate: the longest that a key frame occupies a
// link of just that rate. Against six (with offsets 0 2 4), two frames cost 7% (motion) to 31%
// (webcam) in bitrate at equal PSNR-Y and four up to 7%; twelve save 2 to 7%, on a screen 23%.
constexpr double kVbvFrames = 6;

// A cut this soon after an IDR becomes a frame of intra macroblocks in the running pattern, so that
// a flickering scene is no run of key frames.
constexpr int kFramesBetweenCuts = 8;

struct CloseX264 {
  void operator()(x264_t* h) const { x264_encoder_close(h); }
};

// What position `p` since the IDR is, and what it may use.
struct Step {
  TemporalClass temporal_class;
  std::vector<std::uint8_t> frames_back;  // nearest first
};
Step step_at(int p) {
  if (p == 0) return {TemporalClass::kT0, {}};
  switch (p % kPattern) {
    case 0: return {TemporalClass::kT0, {4}};
    case 1: return {TemporalClass::kT2, {1}};
    case 2: return {TemporalClass::kT1, {2}};
    default: return {TemporalClass::kT2, {1, 3}};
  }
}

void apply_bitrate(x264_param_t& param, DataRate bitrate, FrameRate rate) {
  // x264 counts in kbit, takes a buffer of zero as none at all, and multiplies by 1000 in an int.
  const double kbps = std::max(1.0, bitrate.kbps());
  const double buffer = std::clamp(kbps * kVbvFrames / rate.per_second(), 1.0, 2e6);
  param.rc.i_bitrate = static_cast<int>(std::lround(kbps));
  param.rc.i_vbv_max_bitrate = param.rc.i_bitrate;
  param.rc.i_vbv_buffer_size = static_cast<int>(std::lround(buffer));
}

class Layer final : public X264Layer {
 public:
  Layer(x264_param_t param, x264_t* encoder, FrameRate rate)
      : param_(param), encoder_(encoder), rate_(rate) {
    const std::size_t macroblocks = static_cast<std::size_t>((param.i_width + 15) / 16) *
                                    static_cast<std::size_t>((param.i_height + 15) / 16);
    for (std::size_t c = 0; c < offsets_.size(); ++c) {
      offsets_[c].assign(macroblocks, kQuantiserOffset[c]);
    }
  }

  Result<LayerPicture> encode(const VideoFrame& frame, bool sync, int gop) override;
  void set_bitrate(DataRate bitrate) override {
    apply_bitrate(param_, bitrate, rate_);
    reconfigure_ = true;
  }

 private:
  x264_param_t param_;
  std::unique_ptr<x264_t, CloseX264> encoder_;
  FrameRate rate_;
  std::array<std::vector<float>, 3> offsets_;  // per class, one per macroblock: x264's interface
  bool reconfigure_ = false;
  std::int64_t pts_ = 0;  // of the next frame, in frames
  int position_ = 0;      // of the next frame since the IDR
  int gop_ = 0;           // length of the running group; 0 before the first
};

Result<LayerPicture> Layer::encode(const VideoFrame& frame, bool sync, int gop) {
  if (reconfigure_) {
    reconfigure_ = false;
    if (x264_encoder_reconfig(encoder_.get(), &param_) < 0) {
      return Error{"x264 refuses a bitrate of " + std::to_string(param_.rc.i_bitrate) + " kbit/s"};
    }
  }
  sync = sync || position_ >= gop_;
  Step step = step_at(sync ? 0 : position_);
  if (!sync) {
    x264_encoder_invalidate_reference(encoder_.get(), pts_ - step.frames_back.front() + 1);
  }

  x264_picture_t in;
  x264_picture_init(&in);
  in.i_type = sync ? X264_TYPE_IDR : X264_TYPE_AUTO;
  in.i_pts = pts_++;
  in.img.i_csp = X264_CSP_I420;
  in.img.i_plane = 3;
  for (std::size_t p = 0; p < frame.planes.size(); ++p) {
    in.img.plane[p] = const_cast<std::uint8_t*>(frame.planes[p].data);  // x264 only reads
    in.img.i_stride[p] = frame.planes[p].stride;
  }
  in.prop.quant_offsets = offsets_[static_cast<std::size_t>(step.temporal_class)].data();

  x264_nal_t* nals = nullptr;
  int count = 0;
  x264_picture_t out;
  const int size = x264_encoder_encode(encoder_.get(), &nals, &count, &in, &out);
  if (size < 0) return Error{"x264 failed to encode a frame"};
  if (size == 0) return Error{"x264 gave nothing for a frame"};

  if (out.i_type == X264_TYPE_IDR) {
    // Also where x264 saw a cut: the pattern starts again here.
    step = step_at(0);
    position_ = 0;
    gop_ = gop;
  }
  LayerPicture picture;
  picture.temporal_class = step.temporal_class;
  picture.frames_back = std::move(step.frames_back);
  const int rest_of_gop = gop_ - 1 - position_;
  switch (picture.temporal_class) {
    case TemporalClass::kT0: picture.needed_for = rest_of_gop; break;
    case TemporalClass::kT1: picture.needed_for = std::min(1, rest_of_gop); break;
    case TemporalClass::kT2: picture.needed_for = 0; break;
  }
  ++position_;

  // x264's messages (its version and options) are of no use to a decoder.
  const auto useful = [](const x264_nal_t& nal) { return nal.i_type != NAL_SEI; };
  const std::span all(nals, static_cast<std::size_t>(count));
  std::size_t bytes = 0;
  for (const x264_nal_t& nal : all) {
    if (useful(nal)) bytes += static_cast<std::size_t>(nal.i_payload);
  }
  PayloadBuilder builder(bytes);
  for (const x264_nal_t& nal : all) {
    if (!useful(nal)) continue;
    builder.append(
        std::as_bytes(std::span(nal.p_payload, static_cast<std::size_t>(nal.i_payload))));
  }
  picture.data = std::move(builder).take();
  return picture;
}

}  // namespace

Result<std::unique_ptr<X264Layer>> X264Layer::open(const X264LayerOptions& options) {
  x264_param_t param;
  if (x264_param_default_preset(&param, "veryfast", "zerolatency") < 0) {
    return Error{"x264 lacks the preset veryfast with zerolatency"};
  }
  param.i_log_level = X264_LOG_NONE;
  param.i_csp = X264_CSP_I420;
  param.i_width = options.size.width;
  param.i_height = options.size.height;
  param.i_fps_num = static_cast<std::uint32_t>(options.rate.numerator);
  param.i_fps_den = static_cast<std::uint32_t>(options.rate.denominator);
  param.i_timebase_num = param.i_fps_den;
  param.i_timebase_den = param.i_fps_num;
  param.b_vfr_input = 0;
  // Frame threads would delay frames and make the references of one depend on timing.
  param.i_threads = options.threads;
  param.b_sliced_threads = options.threads > 1 ? 1 : 0;

  param.i_bframe = 0;
  param.i_frame_reference = kReferences;
  param.i_dpb_size = kReferences;
  param.i_keyint_max = options.gop;
  // Scene cuts work without lookahead: x264 compares each frame with the one before.
  param.i_keyint_min = std::min(kFramesBetweenCuts, options.gop);

  param.rc.i_rc_method = X264_RC_ABR;
  apply_bitrate(param, options.bitrate, options.rate);

  param.b_annexb = 1;
  param.b_repeat_headers = 1;
  param.vui.b_fullrange = options.range == ColorRange::kFull ? 1 : 0;
  param.vui.i_colmatrix = options.matrix == ColorMatrix::kBt709 ? 1 : 6;  // H.273, table 4

  x264_t* encoder = x264_encoder_open(&param);
  if (encoder == nullptr) {
    return Error{"x264 cannot encode " + std::to_string(options.size.width) + "x" +
                 std::to_string(options.size.height) + " at " + std::to_string(param.rc.i_bitrate) +
                 " kbit/s"};
  }
  // As x264 completed it: reconfiguring starts from here.
  x264_encoder_parameters(encoder, &param);
  return std::unique_ptr<X264Layer>(std::make_unique<Layer>(param, encoder, options.rate));
}

}  // namespace qvid::media
