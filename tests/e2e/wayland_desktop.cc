#include "tests/e2e/wayland_desktop.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace e2e {
namespace {

// Nobody is started by the bus: this machine's own portal would be.
std::string bus_configuration(const std::string& socket) {
  return "<busconfig><type>session</type><listen>unix:path=" + socket +
         "</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\"/>"
         "<allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>";
}

}  // namespace

bool WaylandDesktop::available() {
  constexpr std::array kPrograms = {"dbus-daemon", "pipewire", "wireplumber"};
  return std::ranges::all_of(kPrograms, [](const char* name) {
    return std::filesystem::exists(std::string("/usr/bin/") + name);
  });
}

WaylandDesktop::WaylandDesktop(const std::string& portal) {
  const auto around = environment();
  const std::string configuration = (folder_ / "bus.conf").string();
  std::ofstream(configuration) << bus_configuration((folder_ / "bus").string());
  bus_ = std::make_unique<Process>(
      std::vector<std::string>{"dbus-daemon", "--config-file=" + configuration, "--nofork",
                               "--nopidfile", "--print-address=2"},
      around);
  if (!bus_->wait_for_log("unix:path=")) return;
  auto talkative = around;
  talkative.emplace_back(
      "PIPEWIRE_DEBUG=2,mod.protocol-native:3");  // little: nobody reads the rest
  pipewire_ = std::make_unique<Process>(std::vector<std::string>{"pipewire"}, talkative);
  if (!pipewire_->wait_for_log("istening on")) return;
  manager_ = std::make_unique<Process>(std::vector<std::string>{"wireplumber"}, around);
  if (!portal.empty()) {
    portal_ =
        std::make_unique<Process>(std::vector<std::string>{QVID_PORTAL_PROBE, portal}, around);
    if (!portal_->wait_for_log("the portal is there")) return;
  }
  ok_ = true;
}

std::string WaylandDesktop::log() const {
  std::string all;
  for (const auto* process : {&bus_, &pipewire_, &manager_, &portal_}) {
    if (*process) all += (*process)->log() + "\n";
  }
  return all;
}

std::vector<std::string> WaylandDesktop::environment() const {
  const std::string folder = folder_.path().string();
  return {"HOME=" + folder,
          "XDG_RUNTIME_DIR=" + folder,
          "XDG_CONFIG_HOME=" + folder,
          "XDG_STATE_HOME=" + folder,
          "DBUS_SESSION_BUS_ADDRESS=unix:path=" + (folder_ / "bus").string(),
          "XDG_SESSION_TYPE=wayland",
          "WAYLAND_DISPLAY=",
          "DISPLAY=",
          "PIPEWIRE_REMOTE=",
          "PIPEWIRE_RUNTIME_DIR=",
          "SDL_AUDIODRIVER=dummy"};
}

}  // namespace e2e
