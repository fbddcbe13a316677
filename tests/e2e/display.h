// An X server of a test, and programs that have their windows there.
#pragma once

#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/process.h"

namespace e2e {

// An X server of the test's own, on a display number that it chooses itself.
class Display {
 public:
  explicit Display(const std::string& size = "640x480")
      : xvfb_({"Xvfb", "-displayfd", "2", "-screen", "0", size + "x24", "-nolisten", "tcp"}) {
    // -displayfd writes the number alone on a line.
    for (int line = 0; line < 20; ++line) {
      const auto text = xvfb_.wait_for_log("");
      if (!text) return;
      if (!text->empty() && text->find_first_not_of("0123456789") == std::string::npos) {
        name_ = ":" + *text;
        return;
      }
    }
  }
  const std::string& name() const { return name_; }
  void kill() {
    xvfb_.signal(SIGKILL);
    xvfb_.wait();
  }

 private:
  Process xvfb_;
  std::string name_;
};

// Null: there is no Xvfb here.
inline std::unique_ptr<Display> open_display(const std::string& size = "640x480") {
  try {
    auto display = std::make_unique<Display>(size);
    return display->name().empty() ? nullptr : std::move(display);
  } catch (const std::exception&) {
    return nullptr;
  }
}

// The environment of a program that has its window there.
inline std::vector<std::string> on(const Display& display) {
  // OpenGL drivers are loaded and unloaded again, and what they leak has no name by then.
  return {"DISPLAY=" + display.name(),
          "SDL_VIDEODRIVER=x11",
          "SDL_RENDER_DRIVER=software",
          "SDL_FRAMEBUFFER_ACCELERATION=0",
          "WAYLAND_DISPLAY=",
          "LSAN_OPTIONS=print_suppressions=0:suppressions=" QVID_LSAN_SUPPRESSIONS};
}

}  // namespace e2e
