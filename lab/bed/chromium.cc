#include "lab/bed/chromium.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace qvid::lab {
namespace {

// A browser that does nothing but this: no first steps, no updates, no other host, no GPU; it
// shares the screen without being asked, and a window that another one covers goes on.
constexpr std::array kChromiumOptions = {
    "--no-sandbox",
    "--disable-gpu",
    "--ozone-platform=x11",
    "--no-first-run",
    "--no-default-browser-check",
    "--test-type",
    "--mute-audio",
    "--password-store=basic",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-default-apps",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--autoplay-policy=no-user-gesture-required",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 10.77.*",
    "--auto-select-desktop-capture-source=Entire screen",
    "--disable-features=WebRtcHideLocalIpsWithMdns,GetDisplayMediaRequiresUserActivation,"
    "Translate,MediaRouter,OptimizationHints",
    "--disable-blink-features=GetDisplayMediaRequiresUserActivation",
};

}  // namespace

std::string installed(std::string_view name) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "/usr/bin:/bin" : variable;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string file = path.substr(begin, end - begin).append("/").append(name);
    if (access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

// Debian's `chromium` is a script that reads a person's settings: the program itself first.
std::string chromium_program() {
  constexpr const char* kItself = "/usr/lib/chromium/chromium";
  return access(kItself, X_OK) == 0 ? kItself : installed("chromium");
}

ChildProcess start_chromium(const ProgramFolder& folder, const ChromiumWindow& window,
                            const NetNamespace& where) {
  std::vector<std::string> command{chromium_program()};
  command.insert(command.end(), kChromiumOptions.begin(), kChromiumOptions.end());
  command.insert(command.end(), window.options.begin(), window.options.end());
  command.insert(
      command.end(),
      {"--user-data-dir=" + folder.file("profile-" + window.name).string(), "--window-position=0,0",
       "--window-size=" + std::to_string(window.width) + "," + std::to_string(window.height),
       "--app=" + window.url});
  return folder.launch(
      window.name, std::move(command), where,
      {"DISPLAY=" + window.display, "HOME=" + folder.file("home-" + window.name).string(),
       "DBUS_SESSION_BUS_ADDRESS=disabled:", "WAYLAND_DISPLAY="});
}

}  // namespace qvid::lab
