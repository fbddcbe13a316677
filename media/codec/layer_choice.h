// Which layers a picture is coded in, by how coarse it comes out: one mechanism for every rate and
// content.
//
//   small   one layer of half the size    <-- quantiser > kTooCoarse, a picture of blocks
//     |        quantiser < kSmallIsFine                       |        |
//     v                                                       |        |
//   whole   one layer of full size ---------------------------+        |
//     |        spare rate               ^  quantiser > kScarce         |
//     v                                 |                              |
//   both    a base of half the size beside the full size --------------+
//
// A base costs 6 dB at 1 Mbit/s, 1.7 at 2 and 0.8 at 4 (`./run lab layers`), and where the path falls it
// keeps the picture in motion until the encoder has followed. So it is made where the whole has been as
// fine as it gets, and has left a part of the rate, for kDwell; or where receivers differ (`needed`): then
// there is no `whole`, and `small` is followed by `both`. Under some rate half a size looks better than
// the whole at a coarse quantiser: that point is at much the same quantiser for all contents, though its
// rate is not. PSNR of the full size where both are equal, long after a key frame, and the quantisers
// there, full and half:
//
//   webcam 640x480, 71 kbit/s: 36 dB, 39, 29      motion 640x428, 480 kbit/s: 28 dB, 40, 33
//   webcam 640x400, 67 kbit/s: 34 dB, 41, 30      scrolled text 720p, 115 kbit/s: 23 dB, 47, 32
//
// Between full and half lie 8 to 11 at every rate, so the way back is well apart: no swinging. The
// quantiser is a mean over about kMean, and the frame's own where that is nearer: what a key frame on
// a narrow link made coarse gets finer for seconds, and is no reason. Nothing changes for kDwell
// after a change, since each begins with a key frame. Where a structure is asked for, that is it.
// Pure. Thread: one at a time.
#pragma once

#include <optional>

#include "base/units.h"
#include "media/codec/layer_structure.h"
#include "media/codec/x264_layer.h"

namespace qvid::media {

class LayerChoice {
 public:
  // LayerPicture::quantiser (x264_layer.h) of the highest layer there is.
  static constexpr double kTooCoarse = 42;
  static constexpr double kSmallIsFine = 29;
  static constexpr double kScarce = 28;
  static constexpr double kFinest = X264Layer::kLeastQuantiser + 2;
  static constexpr double kAmple = 0.8;  // of the rate is used: both take a fifth to a third more
  static constexpr Duration kMean = std::chrono::seconds(1);
  static constexpr Duration kDwell = std::chrono::seconds(3);

  explicit LayerChoice(FrameRate rate, std::optional<LayerStructure> asked = {})
      : weight_(1 / (to_seconds(kMean) * rate.per_second() + 1)),
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
