#include "media/sound/sound_limiter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qvid::media {

double SoundLimiter::gain() const {
  return 1.0 - static_cast<double>(sum_) / static_cast<double>(kUnit * kLookAhead);
}

std::int64_t SoundLimiter::most_wanted(std::int64_t wanted) {
  const auto at = [&](std::size_t i) -> Wanted& { return maxima_[(first_ + i) % maxima_.size()]; };
  if (count_ > 0 && at(0).frame + kLookAhead < frame_) {
    first_ = (first_ + 1) % maxima_.size();
    --count_;
  }
  while (count_ > 0 && at(count_ - 1).reduction <= wanted) --count_;
  at(count_++) = {.frame = frame_++, .reduction = wanted};
  return at(0).reduction;
}

void SoundLimiter::limit(std::span<float> stereo) {
  for (std::size_t i = 0; i + 1 < stereo.size(); i += 2) {
    const float peak = std::max(std::abs(stereo[i]), std::abs(stereo[i + 1]));
    std::int64_t wanted = 0;
    if (peak > kCeiling) {
      wanted = static_cast<std::int64_t>(
          std::ceil((1.0 - double{kCeiling} / double{peak}) * static_cast<double>(kUnit)));
    }
    // At least 1 less, so that nothing stays for ever.
    const std::int64_t released =
        std::max<std::int64_t>(held_ - held_ / static_cast<std::int64_t>(kRelease) - 1, 0);
    held_ = std::max(most_wanted(wanted), released);
    sum_ += held_ - std::exchange(helds_[at_], held_);
    const double factor = gain();
    for (std::size_t c = 0; c < 2; ++c) {
      const float out = std::exchange(delayed_[at_ * 2 + c], stereo[i + c]);
      stereo[i + c] = sum_ == 0 ? out : static_cast<float>(double{out} * factor);
    }
    at_ = (at_ + 1) % kLookAhead;
  }
}

}  // namespace qvid::media
