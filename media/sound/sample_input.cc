#include "media/sound/sample_input.h"

#include <algorithm>

namespace qvid::media {

SampleInput::SampleInput(SoundSamples samples, bool loop, std::string description)
    : samples_(std::move(samples)), loop_(loop), description_(std::move(description)) {}

bool SampleInput::read(Timestamp now, SoundBlock& block) {
  const std::size_t due = pace_.due(now);
  if (due == 0) return false;
  const auto channels = static_cast<std::size_t>(samples_.channels);
  const std::size_t length = samples_.frames();
  block.captured = pace_.next();
  block.channels = samples_.channels;
  block.samples.assign(due * channels, 0.0f);
  for (std::size_t i = 0; i < due && length > 0; ++i) {
    std::size_t frame = static_cast<std::size_t>(pace_.position()) + i;
    if (frame >= length && !loop_) break;
    frame %= length;
    std::copy_n(samples_.values.data() + frame * channels, channels,
                block.samples.data() + i * channels);
  }
  pace_.take(due);
  return true;
}

}  // namespace qvid::media
