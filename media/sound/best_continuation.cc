#include <algorithm>
#include <cmath>

#include "media/sound/time_stretcher.h"

namespace qvid::media {

double likeness(std::span<const float> other, const float* stereo) {
  double product = 0;
  double energy = 1e-9;
  // Every second frame: 24 kHz tells as much.
  for (std::size_t i = 0; i < other.size(); i += 4) {
    const double sample = stereo[i] + stereo[i + 1];
    product += (other[i] + other[i + 1]) * sample;
    energy += sample * sample;
  }
  return product / std::sqrt(energy);
}

std::size_t best_continuation(std::span<const float> tail, std::span<const float> stereo) {
  const std::size_t frames = stereo.size() / 2;
  const std::size_t length = tail.size() / 2;
  std::size_t best = std::max(length, frames / 2);
  // The rest must win clearly: of silence every place is as good.
  double best_match = 1e-6;
  for (std::size_t end = length; end <= frames; ++end) {
    const double match = likeness(tail.first(2 * length), stereo.data() + 2 * (end - length));
    if (match > best_match) {
      best_match = match;
      best = end;
    }
  }
  return best;
}

}  // namespace qvid::media
