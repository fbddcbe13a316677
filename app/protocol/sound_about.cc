#include "app/protocol/sound_about.h"

#include "pubsub/wire/message_table.h"

namespace qvid::app {
namespace {

constexpr qps::MessageTable kSoundAbout(
    "kind",
    qps::message<SoundAbout>("sound", qps::required("codec", &SoundAbout::codec, qps::Shown{})));

}  // namespace

std::string serialise(const SoundAbout& about) { return kSoundAbout.serialise(about); }

Result<SoundAbout> parse_sound_about(std::string_view text) {
  auto about = kSoundAbout.parse(text, "its track 'sound' is no sound that is known here");
  if (!about) return about.error();
  auto sound = std::get<SoundAbout>(*std::move(about));
  if (sound.codec != SoundAbout{}.codec) {
    return Error{"its sound is of a codec that is not known here"};
  }
  return sound;
}

}  // namespace qvid::app
