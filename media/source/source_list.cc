#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "media/source/camera_list.h"
#include "media/source/video_source.h"
#include "media/source/wayland_session.h"
#include "media/source/window_list.h"

namespace qvid::media {
namespace {

// $DISPLAY first, then every other X server with a socket on this machine: "X1" is display ":1".
// By hand: neither X nor FFmpeg's x11grab has a call that lists servers; the sockets are the list.
std::vector<std::string> display_names() {
  std::vector<std::string> names;
  if (const char* display = std::getenv("DISPLAY"); display != nullptr && *display != '\0') {
    names.emplace_back(display);
  }
  const std::size_t found_first = names.size();
  std::error_code ignored;
  for (std::filesystem::directory_iterator it("/tmp/.X11-unix", ignored), end; it != end;
       it.increment(ignored)) {
    const std::string socket = it->path().filename().string();
    if (socket.size() < 2 || socket.front() != 'X') continue;
    const std::string display = ":" + socket.substr(1);
    const bool is_default = found_first == 1 && (names[0] == display || names[0] == display + ".0");
    if (!is_default) names.push_back(display);
  }
  std::sort(names.begin() + static_cast<std::ptrdiff_t>(found_first), names.end());
  return names;
}

void add_screen(std::vector<AvailableSource>& sources, const std::string& display) {
  const auto screen = look_at_screen(display);
  if (!screen) return;
  sources.push_back({.type_this = SourceSpec{SourceSpec::Kind::kScreen, display}.text(),
                     .description = size_text(screen->size),
                     .size = screen->size});
  for (const ShownWindow& window : screen->windows) {
    const SourceSpec one{SourceSpec::Kind::kScreen, display, {.window = window.number}};
    sources.push_back({one.text(), "the window " + in_quotes(window.title), window.title});
  }
}

}  // namespace

std::vector<AvailableSource> list_screen() {
  std::vector<AvailableSource> sources;
  if (const char* display = std::getenv("DISPLAY"); display != nullptr && *display != '\0') {
    add_screen(sources, display);
  }
  return sources;
}

std::vector<AvailableSource> list_sources() {
  std::vector<AvailableSource> sources;
  for (const Camera& camera : list_cameras()) {
    sources.push_back({SourceSpec{SourceSpec::Kind::kCamera, camera.path}.text(), camera.name});
  }
  if (in_wayland_session()) {
    sources.push_back({SourceSpec{SourceSpec::Kind::kScreen, {}}.text(),
                       "a screen or window, which the desktop lets you choose (Wayland)"});
  }
  for (const std::string& display : display_names()) add_screen(sources, display);
  sources.push_back({"test:sync", "a flash and a beep each second, to measure lip-sync by"});
  sources.push_back({"test", "a moving scene with a clock and a beep each second, drawn by Qvid"});
  return sources;
}

}  // namespace qvid::media
