#include "media/sound/voice_meter.h"

#include <algorithm>
#include <cmath>

#include "media/sound/sound_block.h"

namespace qvid::media {
namespace {

constexpr Duration kTurnTime = sound_time(kSoundTurn);

double dbov(double power) {
  return power <= 0 ? kSilenceLoudness : std::clamp(10 * std::log10(power), kSilenceLoudness, 0.0);
}
// The part of the way that a mean over `time` goes in a turn.
double step_of(Duration time) { return 1 - std::exp(-to_seconds(kTurnTime) / to_seconds(time)); }

const double kLouder = step_of(30ms);
const double kSofter = step_of(200ms);
const double kSlow = step_of(50ms);

}  // namespace

VoiceState VoiceMeter::on_samples(std::span<const float> mono) {
  for (const float sample : mono) {
    if (std::isfinite(sample)) {
      const double held = std::clamp(double{sample}, -1.0, 1.0);
      sum_ += held * held;
    }
    if (++count_ < kSoundTurn) continue;
    on_turn(sum_ / static_cast<double>(kSoundTurn));
    sum_ = 0;
    count_ = 0;
  }
  return state();
}

VoiceState VoiceMeter::state() const { return {.speaking = speaking_, .loudness = dbov(power_)}; }

void VoiceMeter::on_turn(double power) {
  if (!begun_) {
    begun_ = true;
    power_ = slow_power_ = power;
    floor_.add(dbov(power), time_);
  }
  power_ += (power - power_) * (power > power_ ? kLouder : kSofter);
  slow_power_ += (power - slow_power_) * kSlow;
  floor_.add(dbov(slow_power_), time_ += kTurnTime);
  const double level = dbov(power);
  const bool voiced = speaking_ ? level > std::max(floor_.least() + kEndAbove, kLeastEnd)
                                : level > std::max(floor_.least() + kBeginAbove, kLeastBegin);
  if (voiced == speaking_) {
    towards_ = {};
    return;
  }
  towards_ += kTurnTime;
  if (towards_ < (speaking_ ? kHangOver : kAttack)) return;
  speaking_ = !speaking_;
  towards_ = {};
}

}  // namespace qvid::media
