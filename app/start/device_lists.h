// The devices that are plugged in, as lists to choose from: before a call and in one. Pure, but for
// cameras(). Thread: any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/units.h"
#include "ui/sound/sdl_sound.h"

namespace qvid::app {

struct NamedCamera {
  std::string name;
  std::string source;  // as camera:/dev/video0

  bool operator==(const NamedCamera&) const = default;
};

// What is plugged in now, and what is wrong with what was chosen.
struct DeviceView {
  std::vector<NamedCamera> cameras{};
  std::vector<std::string> microphones{};
  std::vector<std::string> loudspeakers{};
  std::string camera_trouble{};
  std::string microphone_trouble{};
  std::string loudspeaker_trouble{};
  float level = 0;  // of the microphone, 0..1
  bool testing = false;

  bool operator==(const DeviceView&) const = default;
};

inline constexpr Duration kLookEvery = std::chrono::seconds(1);

// What there is goes into the view.
void note_plugged(DeviceView& view, std::vector<NamedCamera> cameras,
                  const ui::SoundDeviceNames& sound);

// The cameras now: quickly, and without starting any.
std::vector<NamedCamera> plugged_cameras();

// Names of devices of sound to choose from: the system's, those of `names`, none, and the `remembered`
// one where it is not there. Remembered are names, kNoDevice, and empty for the system's. Which of them
// the remembered one is.
std::size_t list_devices(std::vector<std::string>& shown, const std::vector<std::string>& names,
                         const std::string& remembered);
// What a choice of such a list is remembered as.
std::string device_of(std::size_t chosen, const std::vector<std::string>& names,
                      const std::string& remembered);

// In the place of a camera where there is none.
std::string no_camera_here();

}  // namespace qvid::app
