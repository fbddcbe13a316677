// What subscribers must know of a track of sound to play it: its publication's `about`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace qvid::app {

struct SoundAbout {
  std::string codec = "opus";
};
std::string serialise(const SoundAbout& about);
// Error: it is no sound, or of a codec that is not known here.
Result<SoundAbout> parse_sound_about(std::string_view text);

}  // namespace qvid::app
