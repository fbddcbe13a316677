#include "media/sound/sound_mixer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qvid::media {
namespace {

// A decoder's overshoot is less. What is more is a fault, which must not silence the others for as
// long as the limiter takes to let go.
constexpr float kMostMixed = 2.0F;

float mixable(float sample) {
  return std::isfinite(sample) ? std::clamp(sample, -kMostMixed, kMostMixed) : 0.0F;
}

}  // namespace

void SoundMixer::begin() {
  sum_.fill(0.0F);
  std::swap(before_, now_);
  now_.clear();
}

void SoundMixer::add(const void* key, std::span<const float> stereo, float volume) {
  const float to = std::isfinite(volume) ? std::clamp(volume, 0.0F, kMostVolume) : 0.0F;
  const auto found =
      std::find_if(before_.begin(), before_.end(), [&](const Volume& v) { return v.key == key; });
  const float from = found == before_.end() ? to : found->volume;
  now_.push_back({.key = key, .volume = to});
  const std::size_t frames = std::min(stereo.size() / 2, kSoundTurn);
  for (std::size_t i = 0; i < frames; ++i) {
    // Ends at `to` exactly.
    const float left = static_cast<float>(kSoundTurn - 1 - i) / static_cast<float>(kSoundTurn);
    const float by = to + (from - to) * left;
    sum_[2 * i] += mixable(stereo[2 * i]) * by;
    sum_[2 * i + 1] += mixable(stereo[2 * i + 1]) * by;
  }
}

std::span<const float> SoundMixer::end() {
  limiter_.limit(sum_);
  return sum_;
}

double SoundMixer::reduction() const { return std::abs(20.0 * std::log10(limiter_.gain())); }

}  // namespace qvid::media
