#include "app/command/call_devices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/options/sound_options.h"
#include "base/text.h"
#include "ui/text/translated.h"

namespace qvid::app {
namespace {

using ui::DeviceKind;

bool is_none(DeviceKind kind, const std::string& device) {
  return kind == DeviceKind::kCamera ? device.empty() : device == kNoDevice;
}

std::string none_of(DeviceKind kind) {
  return kind == DeviceKind::kCamera ? std::string() : std::string(kNoDevice);
}

}  // namespace

CallDevices::CallDevices(const Start& start)
    : publishes_(start.publishes), last_camera_(start.camera) {
  if (start.camera_on) of(DeviceKind::kCamera).used = start.camera;
  One& microphone = of(DeviceKind::kMicrophone);
  microphone.used = start.microphone;
  if (start.microphone_given) microphone.given = start.microphone;
  One& loudspeaker = of(DeviceKind::kLoudspeaker);
  loudspeaker.used = start.loudspeaker;
  if (start.loudspeaker_given) loudspeaker.given = start.loudspeaker;
}

ui::DevicesModel CallDevices::model() const {
  ui::DevicesModel model;
  if (publishes_) {
    model.groups = {cameras(), sound_devices(DeviceKind::kMicrophone)};
  }
  model.groups.push_back(sound_devices(DeviceKind::kLoudspeaker));
  for (ui::DeviceGroup& group : model.groups) {
    const One& one = of(group.kind);
    group.used = one.chosen();
    group.trouble = one.failed.empty() ? one.trouble : one.failed;
    // Else a key that comes before all are listed would choose another than is meant.
    if (!plugged_) {
      std::erase_if(group.entries, [&](const auto& entry) { return entry.device != group.used; });
    }
  }
  return model;
}

ui::DeviceGroup CallDevices::cameras() const {
  ui::DeviceGroup group{.kind = DeviceKind::kCamera};
  if (plugged_) {
    for (const NamedCamera& camera : plugged_->cameras) {
      group.entries.push_back({.device = camera.source, .name = camera.name});
    }
  }
  // Used now, or again when the camera is on, and no camera that is plugged in.
  const bool none = group.entries.empty();
  if (std::ranges::find(group.entries, last_camera_, &ui::DeviceEntry::device) ==
      group.entries.end()) {
    const bool scene = none && plugged_ && last_camera_ == "test";
    group.entries.push_back(
        {.device = last_camera_, .name = scene ? no_camera_here() : printable(last_camera_)});
  }
  group.entries.push_back({.device = "", .name = ui::tr("None")});
  return group;
}

ui::DeviceGroup CallDevices::sound_devices(DeviceKind kind) const {
  ui::DeviceGroup group{.kind = kind};
  const One& one = of(kind);
  const std::string& now = one.chosen();
  const bool is_given = !one.given.empty() && now == one.given;
  std::vector<std::string> names;
  if (plugged_) {
    for (const std::string& name :
         kind == DeviceKind::kMicrophone ? plugged_->microphones : plugged_->loudspeakers) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  } else if (!is_given && !now.empty() && now != kNoDevice) {
    names = {now};
  }
  std::vector<std::string> shown;
  const std::string listed = is_given ? std::string() : now;
  list_devices(shown, names, listed);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    group.entries.push_back({.device = device_of(i, names, listed), .name = shown[i]});
  }
  if (is_given) group.entries.push_back({.device = now, .name = printable(now)});
  return group;
}

CallDevices::Step CallDevices::choose(const ui::DeviceInput& input) {
  One& one = of(input.kind);
  one.failed.clear();
  if (input.device == one.chosen()) return {};
  one.trouble.clear();
  if (input.kind == DeviceKind::kCamera && !one.used.empty()) last_camera_ = one.used;
  if (is_none(input.kind, input.device)) {
    one.used = input.device;
    one.tried.reset();
    return {.use = Use{input.kind, input.device}, .keep = true};
  }
  one.tried = input.device;
  return {.use = Use{input.kind, input.device}};
}

CallDevices::Step CallDevices::on_status(const Status& status) {
  One& one = of(status.of.kind);
  if (status.of.device != one.chosen()) return {};  // it has been left
  if (!one.tried) {
    std::string trouble = status.ok ? std::string() : printable(status.text);
    // A camera's is told again and again.
    const bool news = status.of.kind != DeviceKind::kCamera || trouble != one.trouble;
    one.trouble = std::move(trouble);
    return {.notice = news ? one.trouble : std::string()};
  }
  const std::string tried = *std::exchange(one.tried, {});
  if (status.ok) {
    one.used = tried;
    if (status.of.kind == DeviceKind::kCamera) last_camera_ = tried;
    return {.keep = true};
  }
  if (!one.given.empty() && one.used == one.given) one.used = none_of(status.of.kind);
  one.failed = ui::filled(ui::tr("{}: nothing is changed"), printable(status.why));
  return {.use = Use{status.of.kind, one.used}, .notice = one.failed};
}

CallDevices::Use CallDevices::turn_camera(bool on) {
  One& one = of(DeviceKind::kCamera);
  if (!one.chosen().empty()) last_camera_ = one.chosen();
  one = {.used = on ? last_camera_ : std::string()};
  return {DeviceKind::kCamera, one.used};
}

void CallDevices::keep(DeviceKind kind, Settings& settings) const {
  const std::string& device = used(kind);
  if (kind == DeviceKind::kMicrophone) settings.microphone = device;
  if (kind == DeviceKind::kLoudspeaker) settings.loudspeaker = device;
  if (kind != DeviceKind::kCamera) return;
  settings.join_without_camera = device.empty();
  if (!plugged_) return;
  const auto camera = std::ranges::find(plugged_->cameras, device, &NamedCamera::source);
  if (camera != plugged_->cameras.end()) settings.camera = camera->name;
}

}  // namespace qvid::app
