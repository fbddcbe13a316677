// What a window shows, into a file, and into the log what came of it.
#pragma once

#include <fmt/chrono.h>

#include <ctime>
#include <string>

#include "app/log/log.h"

namespace qvid::app {

// Of this second, where the program was started.
inline std::string screenshot_name() {
  const auto now = static_cast<std::time_t>(std::time(nullptr));
  return fmt::format("qvid-{:%Y%m%d-%H%M%S}.png", fmt::localtime(now));
}

template <class Window>
void save_screenshot(Window& window, const std::string& path) {
  const auto saved = window.screenshot(path);
  if (saved) {
    log_info("saved {}", *saved);
  } else {
    log_warning("{}", saved.error().message);
  }
}

}  // namespace qvid::app
