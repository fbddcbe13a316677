#include "app/feed/sound_about.h"

#include <nlohmann/json.hpp>

#include "pubsub/wire/json_fields.h"

namespace qvid::app {

std::string serialise(const SoundAbout& about) {
  return qps::dump({{"kind", "sound"}, {"codec", about.codec}});
}

Result<SoundAbout> parse_sound_about(std::string_view text) {
  const auto object = qps::parse_object(text);
  if (!object || qps::string_field(*object, "kind") != "sound") {
    return Error{"its track 'sound' is no sound that is known here"};
  }
  const auto codec = qps::text_field(*object, "codec");
  if (!codec || *codec != SoundAbout{}.codec) {
    return Error{"its sound is of a codec that is not known here"};
  }
  return SoundAbout{.codec = *codec};
}

}  // namespace qvid::app
