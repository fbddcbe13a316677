#include "media/sound/time_stretcher.h"

#include <SoundTouch.h>

#include <algorithm>
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

}  // namespace qvid::media
