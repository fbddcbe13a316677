// Which devices a call uses, and what a choice among them does. The one chosen is tried; where it cannot
// be opened, the one before is used again, and it is said why.
//
//   plugged in, used        --> model()       what the panel of devices shows
//   choose() --> use it     --> on_status()   it is kept, or the one before is to be used
//
// Devices are named as options have them: a camera by its source, empty for none; a microphone and a
// loudspeaker by its name, empty for the system's, kNoDevice for none. Pure. Thread: one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "app/settings/settings.h"
#include "app/start/device_lists.h"
#include "ui/call/devices_model.h"

namespace qvid::app {

class CallDevices {
 public:
  struct Start {
    bool publishes = true;  // else there is a loudspeaker alone
    std::string camera{};   // a source, also while it is off
    bool camera_on = true;
    std::string microphone{};
    std::string loudspeaker{};
    // A tone, a file: no device, and once it is left it cannot be had again.
    bool microphone_given = false;
    bool loudspeaker_given = false;
  };
  explicit CallDevices(const Start& start);

  // Until it is told, those in use are listed alone.
  void set_plugged(const DeviceView& plugged) { plugged_ = plugged; }
  ui::DevicesModel model() const;

  struct Use {
    ui::DeviceKind kind = ui::DeviceKind::kCamera;
    std::string device{};

    bool operator==(const Use&) const = default;
  };
  // What is to be done.
  struct Step {
    std::optional<Use> use{};
    bool keep = false;     // keep() of that kind
    std::string notice{};  // for the window; empty: none
  };
  Step choose(const ui::DeviceInput& input);
  // How a device is that was to be used, in a sentence (`text`), and what is wrong with it (`why`).
  struct Status {
    Use of{};
    bool ok = true;
    std::string text{};
    std::string why{};
  };
  Step on_status(const Status& status);

  bool camera_on() const { return !used(ui::DeviceKind::kCamera).empty(); }
  // Off, or on with the one that was used last: this is no choice, so it is waited for.
  Use turn_camera(bool on);
  // As it is remembered; what cannot be is left as it was.
  void keep(ui::DeviceKind kind, Settings& settings) const;

 private:
  struct One {
    std::string used{};                  // the last that could be
    std::optional<std::string> tried{};  // instead of it
    std::string given{};                 // empty: none
    std::string trouble{};               // of the one that is used
    std::string failed{};                // why the last choice was none

    const std::string& chosen() const { return tried ? *tried : used; }
  };
  const std::string& used(ui::DeviceKind kind) const { return of(kind).chosen(); }
  One& of(ui::DeviceKind kind) { return all_[static_cast<std::size_t>(kind)]; }
  const One& of(ui::DeviceKind kind) const { return all_[static_cast<std::size_t>(kind)]; }
  ui::DeviceGroup cameras() const;
  ui::DeviceGroup sound_devices(ui::DeviceKind kind) const;

  const bool publishes_;
  std::array<One, 3> all_{};
  std::string last_camera_;
  std::optional<DeviceView> plugged_;
};

}  // namespace qvid::app
