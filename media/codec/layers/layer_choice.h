// Which layers a picture is coded in, by how coarse it comes out: one mechanism for every rate and
// content.
//
//   small   one layer of half the size    <-- quantiser > too_coarse, a picture of blocks
//     |        quantiser < small_is_fine                      |        |
//     v                                                       |        |
//   whole   one layer of full size ---------------------------+        |
//     |        spare rate               ^  quantiser > kScarce         |
//     v                                 |                              |
//   both    a base of half the size beside the full size --------------+
//
// A base costs 2.7 dB at 0.6 Mbit/s, 3.7 at 1 and 0.4 at 2 and 4 (`./run lab layers`), and where the path falls it
// keeps the picture in motion until the encoder has followed. So it is made where the whole has been as
// fine as it gets, and has left a part of the rate, for kDwell; or where receivers differ (`needed`): then
// there is no `whole`, and `small` is followed by `both`. Under some rate half a size looks better than
// the whole at a coarse quantiser: where that is differs less in the quantiser than in the rate.
// PSNR of the full size where both are equal, over 20 s with two key frames, and the quantisers there, full
// and half:
//
//   webcam 640x480, 79 kbit/s: 37 dB, 38, 28      motion 720x480, 880 kbit/s: 30 dB, 38, 30
//   texture 640x400, 126 kbit/s: 31 dB, 34, 27    scrolled text 720p, 108 kbit/s: 23 dB, 46, 34
//
// The limit of the whole lies between cameras and text, half of which cannot be read; that of half the size at
// cameras. The whole that follows there comes out at 37 to 40, under its own limit: no swinging.
// AV1 looks better whole for nearly as long as it holds the rate at all, up to the coarsest quantiser:
//
//   webcam 640x480, 30 kbit/s: 34.6 dB, 49; half 34.1, 43      text 720p, 138 kbit/s: 28.6, 51; half 22.5, 44
//   motion 720x480, 155 kbit/s: 24.7 dB, 51; half 26.0, 45
//
// The quantiser is a mean over about kMean, and the frame's own where that is nearer: what a key frame on
// a narrow link made coarse gets finer for seconds, and is no reason. Nothing changes for kDwell
// after a change, since each begins with a key frame. Where a structure is asked for, that is it.
// Pure. Thread: one at a time.
#pragma once

#include <optional>

#include "base/units.h"
#include "media/codec/layers/layer_stream.h"
#include "media/codec/layers/layer_structure.h"

namespace qvid::media {

// A codec's own: LayerPicture::quantiser (layer_stream.h) of the highest layer there is.
struct LayerLimits {
  double too_coarse = 0;      // the whole, beside half the size
  double small_is_fine = 0;   // half the size: the whole would be better
  bool base_of_spare = true;  // one is made of what the whole leaves of the rate
};
inline constexpr LayerLimits kLimitsOfH264 = {.too_coarse = 42, .small_is_fine = 29};
// A base takes it a quarter more time, and where the path falls it was back no sooner with one.
inline constexpr LayerLimits kLimitsOfAv1 = {
    .too_coarse = 50, .small_is_fine = 38, .base_of_spare = false};

class LayerChoice {
 public:
  // The same quantiser, of every codec.
  static constexpr double kScarce = 28;
  static constexpr double kFinest = kLeastQuantiser + 2;
  static constexpr double kAmple = 0.8;  // of the rate is used: both take a fifth to a third more
  static constexpr Duration kMean = std::chrono::seconds(1);
  static constexpr Duration kDwell = std::chrono::seconds(3);

  LayerChoice(FrameRate rate, LayerLimits limits, std::optional<LayerStructure> asked = {})
      : limits_(limits),
        weight_(1 / (to_seconds(kMean) * rate.per_second() + 1)),
        dwell_(static_cast<int>(to_seconds(kDwell) * rate.per_second())),
        asked_(asked),
        structure_(asked.value_or(LayerStructure::kBoth)) {}

  // From the next frame on. Before anything is said, it is both.
  void set_needed(bool base);
  // A frame was coded, in the structure there is; of a frame's part of the rate it took `used`.
  void on_frame(double quantiser, double used);
  LayerStructure structure() const { return structure_; }

 private:
  void change(LayerStructure structure);

  LayerLimits limits_;
  double weight_;  // of a frame in the mean
  int dwell_;      // frames
  std::optional<LayerStructure> asked_;
  std::optional<bool> needed_;
  LayerStructure structure_;
  double mean_ = 0;
  double used_ = 0;  // the mean of that
  int frames_ = 0;   // since the change
  int spare_ = 0;    // frames for which the rate has been ample
};

}  // namespace qvid::media
