// A WAV file's samples as sound is here: 48 kHz, floats, one channel or two.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "media/sound/sample_input.h"

namespace qvid::ui {

// Any that SDL reads, of any rate and number of channels; at most kMostWavBytes.
inline constexpr std::uintmax_t kMostWavBytes = 256u << 20;
Result<media::SoundSamples> load_wav(const std::string& path);

}  // namespace qvid::ui
