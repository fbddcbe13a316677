#include "lab/glass/likeness.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/ssim.h"
#include "lab/glass/strip.h"

namespace qvid::lab {
namespace {

constexpr int kMostOff = 8;    // pixels by which a strip may be wider or narrower than the clock's
constexpr int kSearch = 4;     // pixels around the strip's place
constexpr double kMatch = 32;  // dB by which a place is taken for the right one
constexpr double kLeastError = 0.01;  // mean square: a perfect picture has 68 dB, not endless ones

double psnr(const Pixels& screen, const Pixels& drawn, int x0, int y0, int step) {
  double squares = 0;
  int count = 0;
  for (int y = kStripHeight; y < drawn.height; y += step) {
    for (int x = 0; x < drawn.width; x += step, ++count) {
      const double error = luma(screen.at(x0 + x, y0 + y)) - luma(drawn.at(x, y));
      squares += error * error;
    }
  }
  return 10 * std::log10(255.0 * 255.0 / std::max(squares / count, kLeastError));
}

double ssim(const Pixels& screen, const Pixels& drawn, int x0, int y0) {
  constexpr int kStep = 8;
  return structural_similarity(
      drawn.width, drawn.height - kStripHeight, kStep,
      [&](int x, int y) { return luma(screen.at(x0 + x, y0 + kStripHeight + y)); },
      [&](int x, int y) { return luma(drawn.at(x, kStripHeight + y)); });
}

}  // namespace

std::optional<HowLike> Likeness::of(const Pixels& screen, const StripPlace& strip,
                                    const Pixels& drawn) {
  if (std::abs(strip.width - kClockWidth) > kMostOff) return std::nullopt;
  if (!aligned_) {
    double best = -1;
    for (int down = -kSearch; down <= kSearch; ++down) {
      for (int right = -kSearch; right <= kSearch; ++right) {
        const double here = psnr(screen, drawn, strip.x + right, strip.y + down, 4);
        if (here <= best) continue;
        best = here;
        right_ = right;
        down_ = down;
      }
    }
    aligned_ = best > kMatch;
  }
  const int x = strip.x + right_;
  const int y = strip.y + down_;
  return HowLike{.psnr = psnr(screen, drawn, x, y, 2), .ssim = ssim(screen, drawn, x, y)};
}

}  // namespace qvid::lab
