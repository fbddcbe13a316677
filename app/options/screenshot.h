// What a window shows, into a file, and into the log what came of it; and the names of such files.
#pragma once

#include <fmt/chrono.h>

#include <ctime>
#include <string>
#include <string_view>

#include "app/log/log.h"

namespace qvid::app {

// Of this second, where the program was started.
inline std::string name_of_now(std::string_view ending) {
  const auto now = static_cast<std::time_t>(std::time(nullptr));
  return fmt::format("qvid-{:%Y%m%d-%H%M%S}{}", fmt::localtime(now), ending);
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
