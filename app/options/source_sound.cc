#include "app/options/source_sound.h"

#include "media/sound/sound_queue.h"

namespace qvid::app {
namespace {

bool gives_its_own(const media::LiveInOptions& source, const SoundRole& role) {
  using Kind = media::SourceSpec::Kind;
  const Kind kind = source.source.kind;
  return kind == Kind::kFile || (kind == Kind::kTest && role.is_all_about_it);
}

}  // namespace

Result<media::SoundEngineOptions> sound_beside(const SoundArguments& arguments,
                                               media::LiveInOptions* source, const SoundRole& role,
                                               SoundDevices& devices) {
  SoundArguments a = arguments;
  const bool own =
      role.sends && a.microphone.empty() && source != nullptr && gives_its_own(*source, role);
  const char* unsaid = role.headless ? "none" : "default";
  if (a.microphone.empty()) a.microphone = unsaid;
  if (a.speaker.empty()) a.speaker = unsaid;
  auto engine = sound_engine_options(a, role.sends && !own, role.plays, devices);
  if (!engine || !own) return engine;
  auto queue = std::make_shared<media::SoundQueue>();
  source->source_options.sound = queue;
  source->source_options.sound_status = devices.on_status();
  engine->input = std::make_unique<media::SoundQueueInput>(queue, source->source.text());
  suit_encoder(*engine);
  return engine;
}

}  // namespace qvid::app
