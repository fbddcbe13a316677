#include "media/sound/time_stretcher.h"

#include <SoundTouch.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace qvid::media {
namespace {

static_assert(std::is_same_v<soundtouch::SAMPLETYPE, float>);

// Milliseconds. For speech shorter than the defaults, which are for music; the window that is
// searched holds a period of a deep voice (70 Hz).
constexpr int kStretchSequence = 30;
constexpr int kStretchSeek = 15;
constexpr int kStretchOverlap = 6;

}  // namespace

class TimeStretcher::Impl {
 public:
  Impl() {
    touch.setSampleRate(kSoundRate);
    touch.setChannels(2);
    touch.setSetting(SETTING_SEQUENCE_MS, kStretchSequence);
    touch.setSetting(SETTING_SEEKWINDOW_MS, kStretchSeek);
    touch.setSetting(SETTING_OVERLAP_MS, kStretchOverlap);
  }
  soundtouch::SoundTouch touch;
};

TimeStretcher::TimeStretcher() : impl_(std::make_unique<Impl>()) {}
TimeStretcher::~TimeStretcher() = default;

void TimeStretcher::begin(double speed) {
  impl_->touch.clear();
  set_speed(speed);
}

void TimeStretcher::set_speed(double speed) {
  impl_->touch.setTempo(std::clamp(speed, kSlowest, kFastest));
}

void TimeStretcher::put(std::span<const float> stereo) {
  impl_->touch.putSamples(stereo.data(), static_cast<unsigned>(stereo.size() / 2));
}

std::size_t TimeStretcher::ready() const { return impl_->touch.numSamples(); }

void TimeStretcher::take(std::span<float> stereo) {
  impl_->touch.receiveSamples(stereo.data(), static_cast<unsigned>(stereo.size() / 2));
}

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
