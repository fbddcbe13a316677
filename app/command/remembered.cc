#include "app/command/remembered.h"

#include <algorithm>
#include <vector>

#include "app/log/log.h"
#include "app/settings/language.h"
#include "app/start/device_lists.h"
#include "base/text.h"
#include "pubsub/wire/control_values.h"
#include "ui/text/translated.h"
#include "ui/window/motion.h"

namespace qvid::app {
namespace {

constexpr media::PictureSize kFirstSize{1280, 720};

template <class T>
void fill(T& said, const T& remembered) {
  if (said == T()) said = remembered;
}

// A device by name, or none, which is a word of the command line.
void fill_device(std::string& said, std::string& preferred, const std::string& remembered) {
  if (!said.empty()) return;
  (remembered == kNoDevice ? said : preferred) = remembered;
}

// The source of a camera of that name; empty: there is none now.
std::string camera_called(const std::string& name) {
  const std::vector<NamedCamera> cameras = plugged_cameras();
  const auto camera = std::ranges::find(cameras, name, &NamedCamera::name);
  return camera == cameras.end() ? std::string() : camera->source;
}

}  // namespace

Remembered::Remembered(const RememberedOptions& options)
    : file_(settings_file()), read_(load_settings(file_)) {
  const Settings& settings = read_.settings;
  for (const std::string& trouble : read_.troubles) log_warning("{}", trouble);
  fill(options.client.proxy, settings.proxy);
  fill(options.client.limit_down, settings.limit_down);
  if (!options.in_window) return;
  speak_language(settings.language);
  ui::reduce_motion(settings.reduced_motion);
  fill(options.scale, settings.scale);
  fill_device(options.sound.speaker, options.sound.preferred_speaker, settings.loudspeaker);
}

Remembered::Remembered(PartyArguments& a, Role role)
    : Remembered({.client = a.client,
                  .sound = a.sound,
                  .scale = a.scale,
                  .in_window = role.watches && !a.headless}) {
  const Settings& settings = read_.settings;
  fill(a.name, settings.name);
  fill(a.live.bitrate, settings.limit_up);
  if (!role.watches || a.headless) return;
  a.notifications = settings.notifications;
  fill_device(a.sound.microphone, a.sound.preferred_microphone, settings.microphone);
  if (!role.publishes) return;
  a.push_to_talk = a.push_to_talk || settings.push_to_talk;
  use_camera(a);
}

void Remembered::use_camera(PartyArguments& a) {
  const std::string& name = read_.settings.camera;
  if (name.empty() || !a.source.empty()) return;
  a.source = camera_called(name);
  if (a.source.empty()) {
    read_.troubles.push_back(
        ui::filled(ui::tr("the camera {} is not there: the first is used"), in_quotes(name)));
    log_warning("{}", read_.troubles.back());
  }
}

media::PictureSize Remembered::window_size() const {
  const media::PictureSize size{static_cast<int>(read_.settings.window_width),
                                static_cast<int>(read_.settings.window_height)};
  return size.width > 0 && size.height > 0 ? size : kFirstSize;
}

ui::LayoutMode Remembered::layout() const {
  return read_.settings.layout == kSpeaker ? ui::LayoutMode::kSpeaker : ui::LayoutMode::kGrid;
}

void Remembered::keep(const ui::CallWindow& window, const std::string& joined,
                      const std::map<std::string, Volume>& volumes) const {
  const auto error = change([&](Settings& settings) {
    const media::PictureSize size = window.size();
    if (size.width > 0 && size.height > 0) {
      settings.window_width = static_cast<std::size_t>(size.width);
      settings.window_height = static_cast<std::size_t>(size.height);
    }
    settings.layout = window.chosen_layout() == ui::LayoutMode::kSpeaker ? kSpeaker : kGrid;
    std::map<std::string, float> levels;
    for (const auto& [name, volume] : volumes) levels[name] = volume.level;
    keep_volumes(settings, levels);
    if (!joined.empty()) add_recent(settings, joined);
  });
  if (error) log_warning("not remembered: {}", error->message);
}

float Remembered::volume_of(const std::string& link) const {
  const auto known = volumes();
  const auto at = known.find(link);
  return at == known.end() ? 1 : at->second;
}

void Remembered::keep_volume(const std::string& link, float level) const {
  if (level == volume_of(link) || !qps::is_name(link)) return;
  const auto error = change([&](Settings& settings) { keep_volumes(settings, {{link, level}}); });
  if (error) log_warning("not remembered: {}", error->message);
}

}  // namespace qvid::app
