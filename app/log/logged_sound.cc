#include "app/log/logged_sound.h"

#include <cmath>

#include "app/log/log.h"
#include "media/sound/clock_output.h"

namespace qvid::app {

void LevelLog::add(Timestamp first, std::span<const float> samples, int channels) {
  const auto step = static_cast<std::size_t>(channels);
  if (next_ && std::chrono::abs(first - *next_) > kSteady) {
    if (beats_) log_->add(first, "jump", "", to_ms(first - *next_));
    in_block_ = 0;
    energy_ = 0;
  }
  const std::size_t frames = samples.size() / step;
  for (std::size_t i = 0; i < frames; ++i) {
    const Timestamp at = first + media::sound_time(static_cast<std::int64_t>(i));
    if (in_block_ == 0) block_begin_ = at;
    if (beats_ && frames_ % media::kSoundRate == 0) {
      log_->add(at, "alive", "", static_cast<double>(frames_));
    }
    ++frames_;
    for (std::size_t c = 0; c < step; ++c) {
      const double sample = samples[i * step + c];
      energy_ += sample * sample;
    }
    if (++in_block_ < OutputLog::kLevelFrames) continue;
    const double mean = energy_ / static_cast<double>(OutputLog::kLevelFrames * step);
    const double level = mean > 0 ? 10 * std::log10(mean) : -INFINITY;
    if (level > OutputLog::kQuiet) log_->add(block_begin_, kind_, "", level);
    in_block_ = 0;
    energy_ = 0;
  }
  next_ = first + media::sound_time(static_cast<std::int64_t>(frames));
}

Timestamp LoggedOutput::heard(Timestamp now) {
  heard_ = inner_->heard(now);
  return *heard_;
}

void LoggedOutput::write(std::span<const float> stereo) {
  inner_->write(stereo);
  if (!heard_) return;  // nobody knows when
  levels_.add(*heard_, stereo, media::kMostChannels);
  *heard_ += media::sound_time(static_cast<std::int64_t>(stereo.size()) / media::kMostChannels);
}

bool LoggedInput::read(Timestamp now, media::SoundBlock& block) {
  if (!inner_->read(now, block)) return false;
  levels_.add(block.captured, block.samples, block.channels);
  return true;
}

std::unique_ptr<media::SoundOutput> logged(std::unique_ptr<media::SoundOutput> speaker,
                                           const std::shared_ptr<OutputLog>& log) {
  if (!log) return speaker;
  if (!speaker) speaker = std::make_unique<media::ClockOutput>();
  return std::make_unique<LoggedOutput>(std::move(speaker), log);
}

std::unique_ptr<media::SoundInput> logged(std::unique_ptr<media::SoundInput> microphone,
                                          const std::shared_ptr<OutputLog>& log) {
  if (!log || !microphone) return microphone;
  return std::make_unique<LoggedInput>(std::move(microphone), log);
}

Result<std::shared_ptr<OutputLog>> open_output_log(const std::string& path) {
  if (path.empty()) return std::shared_ptr<OutputLog>();
  return OutputLog::open(path, [](const std::string& trouble) { log_warning("{}", trouble); });
}

}  // namespace qvid::app
