#include "tests/e2e/wayland_desktop.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/owned_file.h"

namespace e2e {
namespace {

// Nobody is started by the bus but who is in the test's folder: this machine's own portal would be.
std::string bus_configuration(const std::string& folder) {
  return "<busconfig><type>session</type><listen>unix:path=" + folder +
         "/bus</listen><servicedir>" + folder +
         "</servicedir><limit name=\"service_start_timeout\">500</limit><auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\"/>"
         "<allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>";
}

// The system tells of what is made in the folder.
bool wait_for_socket(const std::filesystem::path& path) {
  const qvid::OwnedFile made(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (::inotify_add_watch(made.get(), path.parent_path().c_str(), IN_CREATE) < 0) return false;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (std::error_code none; !std::filesystem::is_socket(path, none);) {
    const auto left = std::chrono::ceil<Milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waits{made.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waits, 1, static_cast<int>(left.count())) <= 0) return false;
    std::array<char, 4096> told{};
    // What it tells is not of interest: the folder is looked at.
    if (::read(made.get(), told.data(), told.size()) < 0) return false;
  }
  return true;
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
  std::ofstream(configuration) << bus_configuration(folder_.path().string());
  if (portal == "late") {
    std::ofstream(folder_ / "late.service")
        << "[D-BUS Service]\nName=org.freedesktop.portal.Desktop\nExec=/bin/sleep 60\n";
  }
  bus_ = std::make_unique<Process>(
      std::vector<std::string>{"dbus-daemon", "--config-file=" + configuration, "--nofork",
                               "--nopidfile", "--print-address=2"},
      around);
  if (!bus_->wait_for_log("unix:path=")) return;
  pipewire_ = std::make_unique<Process>(std::vector<std::string>{"pipewire"}, around);
  if (!wait_for_socket(folder_ / "pipewire-0")) return;
  manager_ = std::make_unique<Process>(std::vector<std::string>{"wireplumber"}, around);
  ok_ = portal.empty() || portal == "late" || start_portal(portal);
}

bool WaylandDesktop::start_portal(const std::string& what) {
  portal_ =
      std::make_unique<Process>(std::vector<std::string>{QVID_PORTAL_PROBE, what}, environment());
  return portal_->wait_for_log("the portal is there").has_value();
}

bool WaylandDesktop::replace_portal() {
  replaced_portal_ = std::move(portal_);
  return start_portal("refuse");
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
