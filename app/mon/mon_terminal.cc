#include "app/mon/mon_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace qvid::app {
namespace {

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string_view sequence(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::kTitle: return "\x1b[7m";
    case Emphasis::kHeading: return "\x1b[1m";
    case Emphasis::kAlert: return "\x1b[1;31m";
    case Emphasis::kFaint: return "\x1b[2m";
    case Emphasis::kNone: break;
  }
  return "";
}

}  // namespace

bool Terminal::usable() {
  const char* kind = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

Terminal::Terminal() {
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // signals stay: Ctrl-C
    has_keys_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  put("\x1b[?1049h\x1b[?25l\x1b[2J");
}

Terminal::~Terminal() {
  put("\x1b[0m\x1b[?25h\x1b[?1049l");
  if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

Terminal::Size Terminal::size() const {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
  return {window.ws_col, window.ws_row};
}

void Terminal::draw(std::span<const ScreenLine> lines) {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) text += "\r\n";
    text += sequence(lines[i].emphasis);
    text += lines[i].text;
    text += "\x1b[0m\x1b[K";
  }
  put(text += "\x1b[J");
}

}  // namespace qvid::app
