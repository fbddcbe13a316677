#include "app/start/device_lists.h"

#include <algorithm>
#include <utility>

#include "app/options/sound_options.h"
#include "base/text.h"
#include "media/source/camera_list.h"
#include "media/source/video_source.h"
#include "ui/text/translated.h"

namespace qvid::app {

std::vector<NamedCamera> plugged_cameras() {
  std::vector<NamedCamera> cameras;
  for (const media::Camera& camera : media::list_cameras()) {
    cameras.push_back({printable(camera.name),
                       media::SourceSpec{media::SourceSpec::Kind::kCamera, camera.path}.text()});
  }
  return cameras;
}

void note_plugged(DeviceView& view, std::vector<NamedCamera> cameras,
                  const ui::SoundDeviceNames& sound) {
  view.cameras = std::move(cameras);
  view.microphones = sound.microphones;
  view.loudspeakers = sound.loudspeakers;
}

std::size_t list_devices(std::vector<std::string>& shown, const std::vector<std::string>& names,
                         const std::string& remembered) {
  shown = {ui::tr("The system's")};
  shown.insert(shown.end(), names.begin(), names.end());
  shown.emplace_back(ui::tr("None"));
  if (remembered.empty()) return 0;
  if (remembered == kNoDevice) return shown.size() - 1;
  const auto found = std::find(shown.begin() + 1, shown.end() - 1, remembered);
  if (found != shown.end() - 1) return static_cast<std::size_t>(found - shown.begin());
  shown.push_back(ui::filled(ui::tr("{} (not plugged in)"), remembered));
  return shown.size() - 1;
}

std::string device_of(std::size_t chosen, const std::vector<std::string>& names,
                      const std::string& remembered) {
  if (chosen == 0) return {};
  if (chosen <= names.size()) return names[chosen - 1];
  return chosen == names.size() + 1 ? kNoDevice : remembered;
}

std::string no_camera_here() { return ui::tr("None is plugged in: a test picture"); }

}  // namespace qvid::app
