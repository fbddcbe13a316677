// The devices of a call, as the panel of devices is told. Text is UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qvid::ui {

enum class DeviceKind : std::uint8_t { kCamera, kMicrophone, kLoudspeaker };

struct DeviceEntry {
  std::string device{};  // as the app takes it
  std::string name{};    // of any length

  bool operator==(const DeviceEntry&) const = default;
};

struct DeviceGroup {
  DeviceKind kind = DeviceKind::kCamera;
  std::vector<DeviceEntry> entries{};  // each device once
  std::string used{};                  // the device of one of them
  std::string trouble{};               // what is wrong; empty: nothing

  bool operator==(const DeviceGroup&) const = default;
};

struct DevicesModel {
  std::vector<DeviceGroup> groups{};  // in the order to be shown

  bool operator==(const DevicesModel&) const = default;
};

// One that was chosen.
struct DeviceInput {
  DeviceKind kind = DeviceKind::kCamera;
  std::string device{};
};

}  // namespace qvid::ui
