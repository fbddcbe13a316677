#include "media/codec/av1/av1_layer.h"

#include <cmath>
#include <utility>

#include "base/clock.h"
#include "media/codec/av1/av1_quantiser.h"
#include "media/codec/av1/av1_rate_debt.h"
#include "media/codec/av1/av1_reference_plan.h"
#include "media/codec/av1/av1_speed.h"
#include "media/codec/av1/av1_stream.h"
#include "media/codec/av1/drawn_content.h"

namespace qvid::media {
namespace {

constexpr int kContentEvery = 60;        // frames
constexpr double kNotableChange = 0.03;  // of the part of the rate that is aimed at

class Av1Layer final : public LayerStream {
 public:
  Av1Layer(const LayerStreamOptions& options, std::unique_ptr<Av1Stream> stream)
      : frame_rate_(options.rate),
        rate_(options.bitrate),
        alone_(options.alone),
        told_rate_(options.bitrate),
        speed_(options.rate),
        stream_(std::move(stream)) {}

  Result<LayerPicture> encode(const VideoFrame& frame, FrameNumber number, bool sync,
                              int gop) override;
  void on_lost(FrameNumber number) override { plan_.on_lost(number); }
  void set_droppable_frames(bool) override {}
  void set_bitrate(DataRate bitrate) override { rate_ = bitrate; }

 private:
  // What the stream is to aim at, where that has changed.
  void tell_rate();

  FrameRate frame_rate_;
  DataRate rate_;
  bool alone_;
  Av1RateDebt debt_;
  DataRate told_rate_;    // to the stream,
  double told_part_ = 1;  // so much of it
  Av1Speed speed_;
  bool drawn_ = false;
  std::unique_ptr<Av1Stream> stream_;
  Av1ReferencePlan plan_;
  int gop_ = 0;  // length of the running group; 0: a new one begins
};

// A rate that libaom refuses, which none within the limits is, leaves the one before.
void Av1Layer::tell_rate() {
  const double part = debt_.part();
  if (told_rate_ == rate_ && std::abs(part - told_part_) <= kNotableChange) return;
  if (!stream_->set_bitrate(rate_ * part)) return;
  told_rate_ = rate_;
  told_part_ = part;
}

Result<LayerPicture> Av1Layer::encode(const VideoFrame& frame, FrameNumber number, bool sync,
                                      int gop) {
  const Av1PlannedFrame planned = sync || plan_.length() >= gop_ ? Av1PlannedFrame() : plan_.next();
  if (planned.is_sync_point()) {
    gop_ = gop;
    drawn_ = false;
  } else if (plan_.length() % kContentEvery == 1) {
    drawn_ = is_drawn(frame);
  }
  // Several layers have no time to be made better.
  stream_->set_effort(drawn_,
                      std::min(speed_.effort(), alone_ ? Av1Effort::kBetter : Av1Effort::kUsual));
  tell_rate();
  const Timestamp begun = steady_now();
  auto unit = stream_->encode(frame, planned);
  if (!unit) return unit.error();
  const double quantiser = as_quantiser_of_h264(unit->quantiser);
  if (!drawn_) speed_.on_coded(steady_now() - begun, quantiser);
  debt_.on_coded(unit->data.byte_count(), rate_, frame_rate_);
  plan_.on_coded(number, planned, unit->kept_in);

  LayerPicture picture;
  if (planned.reference) picture.frames_back = {planned.reference->frames_back};
  picture.needed_for = gop_ - plan_.length();
  picture.quantiser = quantiser;
  picture.data = std::move(unit->data);
  return picture;
}

}  // namespace

Result<std::unique_ptr<LayerStream>> open_av1_layer(const LayerStreamOptions& options) {
  auto stream = Av1Stream::open(options);
  if (!stream) return stream.error();
  return std::unique_ptr<LayerStream>(std::make_unique<Av1Layer>(options, *std::move(stream)));
}

}  // namespace qvid::media
