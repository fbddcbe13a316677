#include "media/sound/device_clock.h"

#include <algorithm>
#include <numbers>

#include "media/sound/sound_block.h"

namespace qvid::media {
namespace {

// A step of the loop no longer than this: it is stable for w dt well below 1.
constexpr double kLongestStep = 0.1;  // s

}  // namespace

Timestamp DeviceClock::time_of(std::int64_t frame) const {
  const Duration nominal = sound_time(frame - frame_);
  return time_ + nominal + from_seconds(to_seconds(nominal) * rate_);
}

void DeviceClock::restart(std::int64_t frames, Timestamp at) {
  started_ = true;
  frame_ = frames;
  time_ = at;
  began_ = at;
  late_since_.reset();
}

void DeviceClock::on_frames(std::int64_t frames, Timestamp at) {
  if (!started_) {
    restart(frames, at);
    return;
  }
  const double passed = to_seconds(sound_time(frames - frame_));
  if (passed <= 0) return;
  const Timestamp expected = time_of(frames);
  const Duration error = at - expected;
  if (error > kLate) {
    if (!late_since_) late_since_ = at;
    if (at - *late_since_ < kPatience) return;
  } else {
    late_since_.reset();
  }
  if (error < -kEarly || error > kLate) {
    restart(frames, at);
    ++steps_;
    return;
  }
  const double bandwidth = at - began_ < kSettling ? kFirstBandwidth : kBandwidth;
  const double w = 2 * std::numbers::pi * bandwidth;
  const double dt = std::min(passed, kLongestStep);
  frame_ = frames;
  time_ = expected + from_seconds(std::numbers::sqrt2 * w * dt * to_seconds(error));
  rate_ = std::clamp(rate_ + w * w * dt * to_seconds(error), -kMaxRate, kMaxRate);
}

}  // namespace qvid::media
