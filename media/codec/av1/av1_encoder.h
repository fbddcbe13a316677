// The encoder of the codec `av1`: libaom in real time, one layer of full size in one temporal class.
//
// References are as media/codec/av1/av1_reference_plan.h has them: every frame is made from one
// other, and says from which. With several receivers, what one of them lost costs it all until the
// next synchronisation point.
//
// It has all of the rate, whether or not a base is needed, and no frames that could be dropped.
// What it takes beyond the rate is paid back (media/codec/av1/av1_rate_debt.h).
// Pictures drawn by a machine are coded as such (media/codec/av1/drawn_content.h): looked at after
// each synchronisation point and every kContentEvery frames. Not the synchronisation point itself:
// text at 300 kbit/s would make it 11 mean frames large instead of 5.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "media/codec/av1/av1_rate_debt.h"
#include "media/codec/av1/av1_reference_plan.h"
#include "media/codec/av1/av1_stream.h"
#include "media/codec/encoder.h"

namespace qvid::media {

class Av1Encoder final : public Encoder {
 public:
  static Result<std::unique_ptr<Encoder>> create(const EncoderOptions& options);

  Result<CodedFrame> encode(const VideoFrame& frame, FrameNumber number) override;
  void request_sync_point() override { sync_requested_ = true; }
  void request_sync_point(std::uint8_t layer) override;
  void on_lost(FrameNumber frame, std::uint8_t layer) override;
  void set_rates(DataRate total, DataRate base) override;
  void set_base_needed(bool) override {}
  void set_droppable_frames(bool) override {}
  void set_gop(int frames) override;

 private:
  static constexpr int kContentEvery = 60;        // frames
  static constexpr double kNotableChange = 0.03;  // of the part of the rate that is aimed at

  explicit Av1Encoder(const EncoderOptions& options);

  // Opens libaom for the colours of `frame`, unless it is open for these already.
  std::optional<Error> open_for(const VideoFrame& frame);
  // What the stream is to aim at, where that has changed.
  void tell_rate();
  Result<CodedFrame> encode_next(const VideoFrame& frame, FrameNumber number);

  EncoderOptions options_;
  DataRate rate_;
  Av1RateDebt debt_;
  DataRate told_rate_;    // to the stream,
  double told_part_ = 1;  // so much of it
  std::unique_ptr<Av1Stream> stream_;
  Av1ReferencePlan plan_;
  int gop_ = 0;  // length of the running group; 0: a new one begins
  bool sync_requested_ = false;
  ColorRange range_ = ColorRange::kLimited;
  ColorMatrix matrix_ = ColorMatrix::kBt601;
  std::optional<FrameNumber> last_;
};

}  // namespace qvid::media
