// How large pictures are made for those who see them: no taller than the tallest that is shown, in steps,
// for the encoder begins anew with each. More is given at once, less once that has been enough for
// kCalm: who looks at another for a moment comes back to a sharp picture.
//
//     lines  what is needed: the least of kScales that gives as many; empty: all; 0: nobody shows it, as before
//
// Pure. Thread: one at a time.
#pragma once

#include <array>
#include <optional>

#include "base/units.h"
#include "media/picture/frame_scaler.h"
#include "media/picture/video_frame.h"

namespace qvid::media {

class NeededScale {
 public:
  static constexpr std::array kScales{0.25, 0.5, 0.75, 1.0};  // of each side
  static constexpr Duration kCalm = 10s;                      // who speaks is large for a while

  void set(std::optional<int> lines) { lines_ = lines; }
  double scale(PictureSize source, Timestamp now) {
    const double needed = needed_of(source);
    if (needed >= scale_) more_at_ = now;
    if (needed >= scale_ || now >= more_at_ + kCalm) scale_ = needed;
    return scale_;
  }

 private:
  double needed_of(PictureSize source) const {
    if (!lines_) return 1;
    if (*lines_ == 0) return scale_;
    for (const double scale : kScales) {
      if (scaled_size(source, scale).height >= *lines_) return scale;
    }
    return 1;
  }

  std::optional<int> lines_;
  double scale_ = 1;
  Timestamp more_at_ = Timestamp::min();  // when as much as now, or more, was needed last
};

}  // namespace qvid::media
