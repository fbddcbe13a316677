// The devices of a PartyRun, changed while it goes on: what is chosen in its window, and what becomes of it.
#include <boost/asio/post.hpp>
#include <utility>

#include "app/command/party_run.h"
#include "app/log/log.h"
#include "app/log/logged_sound.h"
#include "app/options/sound_options.h"
#include "base/text.h"
#include "ui/text/translated.h"

namespace qvid::app {

// While somebody looks at the panel.
void PartyRun::follow_devices() {
  std::vector<CallDevices::Status> statuses;
  {
    const std::lock_guard lock(mutex_);
    statuses = std::exchange(device_statuses_, {});
  }
  if (!statuses.empty()) telling_.on_news();
  for (const CallDevices::Status& status : statuses) {
    take_step(chosen_.on_status(status), status.of.kind);
  }
  const bool looked_at = window_->shows_devices();
  if (looked_at && !plugged_) plugged_.emplace(devices_.sound, [this] { wake(); });
  if (plugged_) plugged_->follow(looked_at);
  if (!looked_at) return;
  if (const auto plugged = plugged_->take()) chosen_.set_plugged(*plugged);
  model_.devices = chosen_.model();
}

void PartyRun::take_step(const CallDevices::Step& step, ui::DeviceKind kind) {
  if (!step.notice.empty()) show_notice(step.notice);
  if (!step.notice.empty() && step.use) log_info("{}", step.notice);
  if (step.use) use_device(*step.use);
  if (!step.keep || !devices_.remember) return;
  const auto error = devices_.remember([&](Settings& settings) { chosen_.keep(kind, settings); });
  if (error) show_notice(ui::filled(ui::tr("Not remembered: {}"), error->message));
}

void PartyRun::use_device(const CallDevices::Use& use) {
  const std::string& device = use.device;
  const bool none = device == kNoDevice;
  switch (use.kind) {
    case ui::DeviceKind::kCamera: return show_camera(device);
    case ui::DeviceKind::kMicrophone: {
      if (!sound_) return;
      media::SoundEngine::MakeInput make;
      if (!none) {
        make = [&sound = devices_.sound, device, log = output_log_] {
          return logged(sound.sound().input(device), log);
        };
      }
      return boost::asio::post(io_, [this, make = std::move(make)] {
        sound_->use_microphone(make);
        wake();
      });
    }
    case ui::DeviceKind::kLoudspeaker: {
      if (!sound_) return;
      media::SoundEngine::MakeOutput make = [&sound = devices_.sound, device, none,
                                             log = output_log_] {
        std::unique_ptr<media::SoundOutput> output;
        if (!none) output = sound.sound().output(device);
        return logged(std::move(output), log);
      };
      return boost::asio::post(io_,
                               [this, make = std::move(make)] { sound_->use_loudspeaker(make); });
    }
  }
}

// Empty: none.
void PartyRun::show_camera(const std::string& device) {
  std::optional<media::LiveInOptions> source;
  if (!device.empty()) {
    const bool first = options_.source && options_.source->source.text() == device;
    auto found = first ? Result(*options_.source) : live_options(device, arguments_.live);
    if (!found) {
      return on_device_status({.of = {ui::DeviceKind::kCamera, device},
                               .ok = false,
                               .text = found.error().message,
                               .why = found.error().message});
    }
    source = *std::move(found);
  }
  boost::asio::post(io_, [this, source] { party_.set_source(source); });
}

void PartyRun::on_sound_status(const media::SoundStatus& status) {
  using enum media::SoundStatus::Of;
  if (window_ == nullptr) return;
  if (status.of == kOther) {
    if (!status.ok) show_notice(printable(status.text));
    return;
  }
  on_device_status(
      {.of = {status.of == kMicrophone ? ui::DeviceKind::kMicrophone : ui::DeviceKind::kLoudspeaker,
              status.device},
       .ok = status.ok,
       .text = status.text,
       .why = status.why});
}

void PartyRun::on_device_status(CallDevices::Status status) {
  if (window_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    device_statuses_.push_back(std::move(status));
    if (device_statuses_.size() > kMostNotices) device_statuses_.erase(device_statuses_.begin());
  }
  wake();
}

}  // namespace qvid::app
