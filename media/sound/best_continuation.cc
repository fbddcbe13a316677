#include <algorithm>
#include <cmath>

#include "media/sound/time_stretcher.h"

namespace qvid::media {

std::size_t best_continuation(std::span<const float> tail, std::span<const float> stereo) {
  const std::size_t frames = stereo.size() / 2;
  const std::size_t length = tail.size() / 2;
  std::size_t best = std::max(length, frames / 2);
  // The rest must win clearly: of silence every place is as good.
  double best_match = 1e-6;
  for (std::size_t end = length; end <= frames; ++end) {
    const float* candidate = stereo.data() + 2 * (end - length);
    double product = 0;
    double energy = 1e-9;
    // Every second frame: 24 kHz tells as much.
    for (std::size_t i = 0; i < 2 * length; i += 4) {
      const double sample = candidate[i] + candidate[i + 1];
      product += (tail[i] + tail[i + 1]) * sample;
      energy += sample * sample;
    }
    const double match = product / std::sqrt(energy);
    if (match > best_match) {
      best_match = match;
      best = end;
    }
  }
  return best;
}

}  // namespace qvid::media
