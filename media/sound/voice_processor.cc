#include "media/sound/voice_processor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

// Of the library, 0.3 and 1.x differ in how it is made and set up, not in how it is run.
#if QVID_WEBRTC_AUDIO >= 1
#include <modules/audio_processing/include/audio_processing.h>
#else
#include <webrtc/modules/audio_processing/include/audio_processing.h>
#endif

#include "media/sound/sound_block.h"

namespace qvid::media {
namespace {

// Gain: peaks are brought to 3 dB below full scale, what is softer is raised by 9 dB at most.
constexpr int kPeakTarget = 3;  // dB below full scale
constexpr int kMostRaised = 9;  // dB
// By how much each part of the library holds sound back, to a millisecond; it does not say it
// itself. Bands are split and joined always.
constexpr Duration kBandsLatency = std::chrono::milliseconds(1);
constexpr Duration kEchoLatency = std::chrono::milliseconds(QVID_WEBRTC_AUDIO >= 1 ? 8 : 7);
constexpr Duration kNoiseLatency = std::chrono::milliseconds(6);
constexpr Duration kMostDelay = std::chrono::milliseconds(500);  // that the library takes

#if QVID_WEBRTC_AUDIO >= 1

using ApmHandle = rtc::scoped_refptr<webrtc::AudioProcessing>;

ApmHandle make_apm(const VoiceProcessorOptions& options) {
  ApmHandle apm(webrtc::AudioProcessingBuilder().Create());
  if (!apm) return nullptr;
  webrtc::AudioProcessing::Config config;
  config.pipeline.maximum_internal_processing_rate = kSoundRate;
  config.high_pass_filter.enabled = true;
  config.echo_canceller.enabled = options.echo;
  config.noise_suppression.enabled = options.noise;
  config.noise_suppression.level = webrtc::AudioProcessing::Config::NoiseSuppression::kHigh;
  config.gain_controller1.enabled = options.gain;
  config.gain_controller1.mode = webrtc::AudioProcessing::Config::GainController1::kAdaptiveDigital;
  config.gain_controller1.analog_gain_controller.enabled = false;
  config.gain_controller1.target_level_dbfs = kPeakTarget;
  config.gain_controller1.compression_gain_db = kMostRaised;
  config.gain_controller1.enable_limiter = true;
  apm->ApplyConfig(config);
  return apm;
}

#else

using ApmHandle = std::unique_ptr<webrtc::AudioProcessing>;

ApmHandle make_apm(const VoiceProcessorOptions& options) {
  webrtc::Config config;
  // Long echo paths, and delays that it finds itself: those of devices are rarely what they say.
  config.Set<webrtc::ExtendedFilter>(new webrtc::ExtendedFilter(true));
  config.Set<webrtc::DelayAgnostic>(new webrtc::DelayAgnostic(true));
  ApmHandle apm(webrtc::AudioProcessing::Create(config));
  if (!apm) return nullptr;
  auto* const echo = apm->echo_cancellation();
  auto* const noise = apm->noise_suppression();
  auto* const gain = apm->gain_control();
  const bool made =
      apm->high_pass_filter()->Enable(true) == 0 &&
      // High takes 3 dB more of the near one away when two speak at once.
      echo->set_suppression_level(webrtc::EchoCancellation::kModerateSuppression) == 0 &&
      echo->Enable(options.echo) == 0 && noise->set_level(webrtc::NoiseSuppression::kHigh) == 0 &&
      noise->Enable(options.noise) == 0 &&
      gain->set_mode(webrtc::GainControl::kAdaptiveDigital) == 0 &&
      gain->set_target_level_dbfs(kPeakTarget) == 0 &&
      gain->set_compression_gain_db(kMostRaised) == 0 && gain->enable_limiter(true) == 0 &&
      gain->Enable(options.gain) == 0;
  return made ? std::move(apm) : nullptr;
}

#endif

class WebrtcVoiceProcessor : public VoiceProcessor {
 public:
  WebrtcVoiceProcessor(ApmHandle apm, const VoiceProcessorOptions& options)
      : apm_(std::move(apm)),
        echo_(options.echo),
        latency_(kBandsLatency + (options.echo ? kEchoLatency : 0ms) +
                 (options.noise ? kNoiseLatency : 0ms)) {}

  void on_played(std::span<const float> stereo) override {
    if (!echo_ || stereo.size() != kSoundTurn * 2) return;
    // One channel costs half, and voices are alike in both.
    for (std::size_t i = 0; i < kSoundTurn; ++i) {
      turn_[i] = processable((stereo[2 * i] + stereo[2 * i + 1]) / 2);
    }
    const float* const in[] = {turn_.data()};
    float* const out[] = {turn_.data()};
    apm_->ProcessReverseStream(in, config_, config_, out);
  }

  void process(std::span<float> mono, Duration delay) override {
    if (mono.size() != kSoundTurn) return;
    std::transform(mono.begin(), mono.end(), turn_.begin(), processable);
    if (echo_) {
      const auto held = std::clamp(delay, Duration::zero(), kMostDelay);
      apm_->set_stream_delay_ms(static_cast<int>(std::lround(to_ms(held))));
    }
    const float* const in[] = {turn_.data()};
    float* const out[] = {turn_.data()};
    // Where it cannot, what came goes on as it is.
    apm_->ProcessStream(in, config_, config_, out);
    std::transform(turn_.begin(), turn_.end(), mono.begin(), processable);
  }

  Duration latency() const override { return latency_; }

 private:
  static float processable(float sample) {
    return std::isfinite(sample) ? std::clamp(sample, -1.0F, 1.0F) : 0.0F;
  }

  ApmHandle apm_;
  bool echo_;
  Duration latency_;
  const webrtc::StreamConfig config_{kSoundRate, 1};
  std::array<float, kSoundTurn> turn_{};
};

}  // namespace

Result<std::unique_ptr<VoiceProcessor>> VoiceProcessor::make(const VoiceProcessorOptions& options) {
  ApmHandle apm = make_apm(options);
  if (!apm) return Error{"no voice processing: webrtc-audio-processing refuses its options"};
  return std::unique_ptr<VoiceProcessor>(
      std::make_unique<WebrtcVoiceProcessor>(std::move(apm), options));
}

}  // namespace qvid::media
