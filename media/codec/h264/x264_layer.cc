#include "media/codec/h264/x264_layer.h"

#include <x264.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "media/codec/h264/reference_plan.h"

namespace qvid::media {
namespace {

// Of one frame: a T2 after a T1.
constexpr int kMostReferences = 2;

// Added to the quantiser by class T0, T1, T2. Bitrate over a single class without references but
// the last frame, at equal mean PSNR-Y (webcam, hand-held motion, scrolling screen):
//     0 0 0   +25%  +21%  +93%        0 4 6   +4%  +14%  +54%
//     0 2 4    +9%  +15%  +66%        0 6 9   +1%  +15%  +42%
// More wins nothing on motion and makes the quality beat with the pattern: T2 lies under T0 by 2.3
// dB with 6 there, by 3.5 dB with 9.
constexpr std::array<float, 3> kQuantiserOffset = {0.0F, 4.0F, 6.0F};

// The buffer of the rate control, EncoderOptions::buffer_frames: every picture behind a key frame
// waits for as long as that occupies the link. PSNR-Y in dB with 3, 4 and 6 frames: scrolled text at
// 300 kbit/s 32.2, 33.1, 34.0; a webcam at 100 kbit/s 38.0, 38.2, 38.4, and with a key frame every
// ten seconds 35.8, 36.3, 37.0; hand-held motion the same.

// After the rate fell by more than a tenth: the buffer, and for how many frames. What the old rate
// had left unused there would be spent at the new one at once: six frames of it gave 1.8 times the
// new rate over four frames after a fall to a half, and 1.4 times over the next four.
constexpr double kVbvFramesAfterFall = 2;
constexpr int kFallLasts = 8;
constexpr double kFall = 0.9;

// Of one of two layers, in frame times of a link of just the rate: behind a backlog of kPeak the
// whole picture is late and the base is shown, so what follows takes kDrain of the rate until it is
// under kDrained. Video at 2 Mbit/s showed a base in 5 to 6.7 % of its frames without that, in 2.2 to
// 4 % with it, for 1 % of the rate at equal PSNR-Y; a buffer of two frames did as much for 25 to
// 40 %. A layer alone takes its time where it is coarse: at 0.15 Mbit/s it came out up to 3 dB coarser.
constexpr double kFine = 28;          // the mean quantiser before the peak
constexpr double kOfMean = 1 / 30.0;  // a frame's part of that
constexpr double kPeak = 1.5;
constexpr double kDrained = 0.5;
constexpr double kDrain = 0.6;

// A cut this soon after an IDR becomes a frame of intra macroblocks in the running pattern, so that
// a flickering scene is no run of key frames.
constexpr int kFramesBetweenCuts = 8;

// Of x264's adaptive quantisation. PSNR-Y in dB, VMAF, at 0, .15, .3 and .6 (x264's own is 1):
//     webcam 640x480, 120 kbit/s         40.1 83.4   40.0 82.8   39.7 82.0   38.9 79.5
//     hand-held 640x428, 700 kbit/s      29.9 68.6   29.9 68.5   29.8 68.1   29.7 67.2
//     scrolled text 720p, 300 kbit/s     33.1 79.5   33.1 79.9   33.3 80.5   33.0 80.1
constexpr float kAdaptiveQuantisation = 0.15F;

// Of a layer alone. Preset "faster" is .3 dB (webcam) to 2.8 dB (screen, 300 kbit/s) better than
// "veryfast" and takes 1.6 times as long: at this size 4.5 ms a frame instead of 2.8.
constexpr int kMostPixelsOfFaster = 640 * 480;
// Of the half of a picture on a narrow link: "slow" without psychovisual optimisation is .1 to .3 dB better
// than "faster" for up to 3.5 ms more. Not of other small pictures: those that a machine too slow for
// larger ones makes are among them.
constexpr int kMostPixelsOfSlow = 360 * 240;

// By size alone, and high enough for any rate here: chosen by x264, the level and with it the
// parameter sets would follow the rate at which a layer is opened, and a recording begin another
// file. Levels 4 and 5.1 keep kReach pictures of so many macroblocks (H.264, table A-1).
int level_of(std::size_t macroblocks) {
  constexpr std::size_t kMostOf4 = 32'768 / ReferencePlan::kReach;
  constexpr std::size_t kMostOf51 = 184'320 / ReferencePlan::kReach;
  constexpr int kByX264 = -1;
  return macroblocks <= kMostOf4 ? 40 : macroblocks <= kMostOf51 ? 51 : kByX264;
}

std::size_t macroblocks_of(int width, int height) {
  return static_cast<std::size_t>((width + 15) / 16) * static_cast<std::size_t>((height + 15) / 16);
}

struct CloseX264 {
  void operator()(x264_t* h) const { x264_encoder_close(h); }
};

// The buffer is of frames at `bitrate`; `part` of that is what pictures may take.
void apply_bitrate(x264_param_t& param, DataRate bitrate, FrameRate rate, double vbv_frames,
                   double part = 1) {
  // x264 counts in kbit, takes a buffer of zero as none at all, and multiplies by 1000 in an int.
  const double kbps = std::max(1.0, bitrate.kbps());
  const double buffer = std::clamp(kbps * vbv_frames / rate.per_second(), 1.0, 2e6);
  param.rc.i_bitrate = static_cast<int>(std::lround(std::max(1.0, kbps * part)));
  param.rc.i_vbv_max_bitrate = param.rc.i_bitrate;
  param.rc.i_vbv_buffer_size = static_cast<int>(std::lround(buffer));
}

class X264Layer final : public LayerStream {
 public:
  X264Layer(x264_param_t param, x264_t* encoder, const LayerStreamOptions& options)
      : param_(param),
        encoder_(encoder),
        rate_(options.rate),
        bitrate_(options.bitrate),
        buffer_frames_(options.buffer_frames),
        alone_(options.alone) {
    const std::size_t macroblocks = macroblocks_of(param.i_width, param.i_height);
    for (std::size_t c = 0; c < offsets_.size(); ++c) {
      offsets_[c].assign(macroblocks, kQuantiserOffset[c]);
    }
  }

  Result<LayerPicture> encode(const VideoFrame& frame, FrameNumber number, bool sync,
                              int gop) override;
  void on_lost(FrameNumber number) override { plan_.on_lost(number); }
  void set_droppable_frames(bool on) override { plan_.set_droppable_frames(on); }
  void set_bitrate(DataRate bitrate) override;

 private:
  // Makes x264 refer to exactly what is planned.
  std::optional<Error> prepare(const PlannedFrame& planned);
  void configure_rate();
  void count_backlog(int bytes, double quantiser);
  Payload useful_nals(std::span<const x264_nal_t> nals) const;

  x264_param_t param_;
  std::unique_ptr<x264_t, CloseX264> encoder_;
  FrameRate rate_;
  DataRate bitrate_;
  double buffer_frames_;
  int fall_lasts_ = 0;  // frames
  bool alone_;
  double backlog_ = 0;  // frame times, of a link of just the rate
  bool draining_ = false;
  double mean_quantiser_ = kMostQuantiser;
  std::array<std::vector<float>, 3> offsets_;  // per class, one per macroblock: x264's interface
  bool reconfigure_ = false;
  ReferencePlan plan_;
  std::int64_t pts_ = 0;  // of the next frame, in frames encoded
  int gop_ = 0;           // length of the running group; 0 before the first
};

void X264Layer::set_bitrate(DataRate bitrate) {
  if (bitrate.kbps() < kFall * bitrate_.kbps()) fall_lasts_ = kFallLasts;
  bitrate_ = bitrate;
  configure_rate();
}

void X264Layer::configure_rate() {
  const double frames =
      fall_lasts_ > 0 ? std::min(kVbvFramesAfterFall, buffer_frames_) : buffer_frames_;
  apply_bitrate(param_, bitrate_, rate_, frames, draining_ ? kDrain : 1);
  reconfigure_ = true;
}

void X264Layer::count_backlog(int bytes, double quantiser) {
  const double bytes_per_frame = std::max(1.0, bitrate_.kbps()) * 125 / rate_.per_second();
  backlog_ = std::max(0.0, backlog_ + bytes / bytes_per_frame - 1);
  const bool in_haste = draining_ || !alone_ || mean_quantiser_ < kFine;
  const bool drain = in_haste && backlog_ > (draining_ ? kDrained : kPeak);
  mean_quantiser_ += kOfMean * (quantiser - mean_quantiser_);
  if (std::exchange(draining_, drain) != drain) configure_rate();
}

std::optional<Error> X264Layer::prepare(const PlannedFrame& planned) {
  if (!planned.is_sync_point()) {
    const int references = static_cast<int>(planned.frames_back.size());
    reconfigure_ = reconfigure_ || param_.i_frame_reference != references;
    param_.i_frame_reference = references;
    x264_encoder_invalidate_reference(encoder_.get(), pts_ - planned.frames_back.front() + 1);
  }
  if (fall_lasts_ > 0 && --fall_lasts_ == 0) configure_rate();
  if (!std::exchange(reconfigure_, false)) return std::nullopt;
  if (x264_encoder_reconfig(encoder_.get(), &param_) < 0) {
    return Error{"x264 refuses a bitrate of " + std::to_string(param_.rc.i_bitrate) + " kbit/s"};
  }
  return std::nullopt;
}

// x264's messages (its version and options) are of no use to a decoder.
Payload X264Layer::useful_nals(std::span<const x264_nal_t> nals) const {
  const auto useful = [](const x264_nal_t& nal) { return nal.i_type != NAL_SEI; };
  std::size_t bytes = 0;
  for (const x264_nal_t& nal : nals) {
    if (useful(nal)) bytes += static_cast<std::size_t>(nal.i_payload);
  }
  PayloadBuilder builder(bytes);
  for (const x264_nal_t& nal : nals) {
    if (!useful(nal)) continue;
    builder.append(
        std::as_bytes(std::span(nal.p_payload, static_cast<std::size_t>(nal.i_payload))));
  }
  return std::move(builder).take();
}

Result<LayerPicture> X264Layer::encode(const VideoFrame& frame, FrameNumber number, bool sync,
                                       int gop) {
  PlannedFrame planned;
  if (!sync && plan_.length() < gop_) planned = plan_.next();
  if (auto error = prepare(planned)) return *std::move(error);

  x264_picture_t in;
  x264_picture_init(&in);
  in.i_type = planned.is_sync_point() ? X264_TYPE_IDR : X264_TYPE_AUTO;
  in.i_pts = pts_++;
  in.img.i_csp = X264_CSP_I420;
  in.img.i_plane = 3;
  for (std::size_t p = 0; p < frame.planes.size(); ++p) {
    in.img.plane[p] = const_cast<std::uint8_t*>(frame.planes[p].data);  // x264 only reads
    in.img.i_stride[p] = frame.planes[p].stride;
  }
  in.prop.quant_offsets = offsets_[static_cast<std::size_t>(planned.temporal_class)].data();

  x264_nal_t* nals = nullptr;
  int count = 0;
  x264_picture_t out;
  const int size = x264_encoder_encode(encoder_.get(), &nals, &count, &in, &out);
  if (size < 0) return Error{"x264 failed to encode a frame"};
  if (size == 0) return Error{"x264 gave nothing for a frame"};

  if (out.i_type == X264_TYPE_IDR) {
    // Also where x264 saw a cut: the pattern starts again here.
    planned = {};
    gop_ = gop;
  }
  plan_.on_coded(number, planned);
  LayerPicture picture;
  picture.temporal_class = planned.temporal_class;
  picture.quantiser = out.i_qpplus1 - 1;
  picture.frames_back = std::move(planned.frames_back);
  const int rest_of_gop = gop_ - plan_.length();
  switch (picture.temporal_class) {
    case TemporalClass::kT0: picture.needed_for = rest_of_gop; break;
    case TemporalClass::kT1: picture.needed_for = std::min(1, rest_of_gop); break;
    case TemporalClass::kT2: picture.needed_for = 0; break;
  }
  count_backlog(size, picture.quantiser);
  picture.data = useful_nals(std::span(nals, static_cast<std::size_t>(count)));
  return picture;
}

}  // namespace

Result<std::unique_ptr<LayerStream>> open_x264_layer(const LayerStreamOptions& options) {
  x264_param_t param;
  const int pixels = options.size.width * options.size.height;
  const bool slow = options.alone && options.halved && pixels <= kMostPixelsOfSlow;
  const char* preset = slow                                             ? "slow"
                       : options.alone && pixels <= kMostPixelsOfFaster ? "faster"
                                                                        : "veryfast";
  if (x264_param_default_preset(&param, preset, "zerolatency") < 0) {
    return Error{std::string("x264 lacks the preset ") + preset + " with zerolatency"};
  }
  if (slow) param.analyse.b_psy = 0;
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
  // The most that a frame may ever use; each uses what its plan says. x264 keeps every P frame.
  param.i_frame_reference = kMostReferences;
  param.i_dpb_size = ReferencePlan::kReach;
  param.i_level_idc = level_of(macroblocks_of(options.size.width, options.size.height));
  param.i_keyint_max = X264_KEYINT_MAX_INFINITE;  // the layer says when
  // Scene cuts work without lookahead: x264 compares each frame with the one before.
  param.i_keyint_min = kFramesBetweenCuts;

  param.rc.f_aq_strength = kAdaptiveQuantisation;
  param.rc.i_rc_method = X264_RC_ABR;
  param.rc.i_qp_min = static_cast<int>(kLeastQuantiser);
  param.rc.i_qp_max = static_cast<int>(kMostQuantiser);
  apply_bitrate(param, options.bitrate, options.rate, options.buffer_frames);

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
  return std::unique_ptr<LayerStream>(std::make_unique<X264Layer>(param, encoder, options));
}

}  // namespace qvid::media
