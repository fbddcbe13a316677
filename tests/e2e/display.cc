#include "tests/e2e/display.h"

#include <csignal>
#include <exception>

namespace e2e {

Display::Display(const std::string& size)
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

void Display::kill() {
  xvfb_.signal(SIGKILL);
  xvfb_.wait();
}

std::unique_ptr<Display> open_display(const std::string& size) {
  try {
    auto display = std::make_unique<Display>(size);
    return display->name().empty() ? nullptr : std::move(display);
  } catch (const std::exception&) {
    return nullptr;
  }
}

std::vector<std::string> on(const Display& display) {
  // OpenGL drivers are loaded and unloaded again, and what they leak has no name by then.
  return {"DISPLAY=" + display.name(),
          "SDL_VIDEODRIVER=x11",
          "SDL_RENDER_DRIVER=software",
          "SDL_FRAMEBUFFER_ACCELERATION=0",
          "WAYLAND_DISPLAY=",
          "XDG_SESSION_TYPE=",
          std::string("LSAN_OPTIONS=print_suppressions=0:suppressions=") + QVID_LSAN_SUPPRESSIONS};
}

}  // namespace e2e
